-- The tables of opencode's database that matter, and a few that do not.
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
CREATE TABLE session (
  id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL, title text NOT NULL,
  version text NOT NULL, share_url text, summary_additions integer, summary_deletions integer, summary_files integer,
  summary_diffs text, revert text, permission text, time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer
);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX part_message_idx ON part (message_id);
CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, status text NOT NULL, priority text NOT NULL, position integer NOT NULL, PRIMARY KEY (session_id, position));

INSERT INTO session VALUES
 ('ses_root', 'p1', NULL, 'calm-otter', '/srv/shop', 'Prices', '1.14.30', NULL, 2, 1, 1, NULL, NULL, '[{"permission":"edit","pattern":"*","action":"allow"}]', 1780000000000, 1780000090000, 7),
 ('ses_child', 'p1', 'ses_root', 'shy-crab', '/srv/shop', 'Look around', '1.14.30', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1780000002000, 1780000003000, NULL),
 ('ses_grand', 'p1', 'ses_child', 'tiny-ant', '/srv/shop', 'Look closer', '1.14.30', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1780000002500, 1780000002600, NULL),
 ('ses_late', 'p1', 'ses_root', 'slow-snail', '/srv/shop', 'Review', '1.14.30', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1780000009000, 1780000009500, NULL),
 ('ses_orphan', 'p1', 'ses_gone', 'lone-wolf', '/srv/shop', 'Its parent was deleted', '1.14.30', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1780000100000, 1780000100000, NULL),
 ('ses_loop1', 'p1', 'ses_loop2', 'odd-eel', '/', 'In a circle', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1780000200000, 1780000200000, NULL),
 ('ses_loop2', 'p1', 'ses_loop1', 'odd-owl', '/', 'In a circle too', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1780000200001, 1780000200001, NULL);

-- Written out of order: ids tell the order, and the last ones began anew.
INSERT INTO message VALUES
 ('msg_eee2', 'ses_root', 1780000001000, 0, '{"role":"assistant","parentID":"msg_eee1","modelID":"claude-a","providerID":"anthropic","cost":0.5,"tokens":{"input":10,"output":5,"reasoning":1,"cache":{"read":2,"write":3}},"time":{"created":1780000001000,"completed":1780000004000},"finish":"tool-calls"}'),
 ('msg_eee1', 'ses_root', 1780000001500, 0, '{"role":"user","time":{"created":1780000000100},"agent":"build","model":{"providerID":"anthropic","modelID":"claude-a"}}'),
 ('msg_eee3', 'ses_root', 1780000005000, 0, '{"role":"assistant","parentID":"msg_eee1","modelID":"claude-a","providerID":"anthropic","time":{"created":1780000005000}}'),
 ('msg_c1', 'ses_child', 1780000002100, 0, '{"role":"user","time":{"created":1780000002100},"agent":"explore","model":{"providerID":"anthropic","modelID":"claude-small"}}'),
 ('msg_c2', 'ses_child', 1780000002200, 0, '{"role":"assistant","parentID":"msg_c1","modelID":"claude-small","time":{"created":1780000002200}}'),
 ('msg_g1', 'ses_grand', 1780000002510, 0, '{"role":"user","time":{"created":1780000002510},"agent":"explore"}'),
 ('msg_l1', 'ses_late', 1780000009100, 0, '{"role":"user","time":{"created":1780000009100},"agent":"review"}'),
 ('msg_o1', 'ses_orphan', 1780000100100, 0, '{"role":"user","time":{"created":1780000100100},"agent":"build"}'),
 ('msg_o2', 'ses_orphan', 1780000100200, 0, 'not json');

INSERT INTO part VALUES
 ('prt_1', 'msg_eee1', 'ses_root', 1780000000100, 0, '{"type":"text","text":"Prices are off."}'),
 ('prt_3', 'msg_eee2', 'ses_root', 0, 0, '{"type":"tool","tool":"task","callID":"call_1","state":{"status":"completed","input":{"prompt":"look"},"output":"seen","title":"look","metadata":{"sessionId":"ses_child"},"time":{"start":1780000001900,"end":1780000003900}}}'),
 ('prt_2', 'msg_eee2', 'ses_root', 0, 0, '{"type":"text","text":"I ask an agent."}'),
 ('prt_4', 'msg_eee2', 'ses_root', 0, 0, '{"type":"step-finish","reason":"tool-calls","cost":0.5,"tokens":{"input":10,"output":5,"reasoning":1,"cache":{"read":2,"write":3}}}'),
 ('prt_5', 'msg_eee3', 'ses_root', 0, 0, '{"type":"tool","tool":"bash","callID":"call_2","state":{"status":"running","input":{"command":"make"},"time":{"start":1780000005100}}}'),
 ('prt_c1', 'msg_c1', 'ses_child', 0, 0, '{"type":"text","text":"look"}'),
 ('prt_c2', 'msg_c2', 'ses_child', 0, 0, '{"type":"tool","tool":"task","callID":"call_9","state":{"status":"completed","input":{},"output":"seen closely","title":"","metadata":{},"time":{"start":1,"end":2}}}'),
 ('prt_g1', 'msg_g1', 'ses_grand', 0, 0, '{"type":"text","text":"look closer"}'),
 ('prt_l1', 'msg_l1', 'ses_late', 0, 0, '{"type":"text","text":"review it"}'),
 ('prt_o1', 'msg_o1', 'ses_orphan', 0, 0, '{"type":"text","text":"alone"}');

INSERT INTO todo VALUES ('ses_root', 'fix rounding', 'pending', 'high', 0), ('ses_root', 'write a test', 'completed', 'low', 1);
