-- The tables of crush's database that matter.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
  summary_message_id TEXT, todos TEXT
);
CREATE TABLE messages (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT, is_summary_message INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL);

INSERT INTO sessions VALUES
 ('s1', NULL, 'Prices', 9, 1200, 80, 0.25, 1780000090, 1780000000, 'm6', '[{"content":"fix","status":"pending"}]'),
 ('m2$$call_1', 's1', 'Look around', 1, 0, 0, 0, 1780000005, 1780000003, NULL, NULL),
 ('title-s1', 's1', 'Generate a title', 1, 0, 0, 0, 1780000002, 1780000002, NULL, NULL),
 ('s2', NULL, 'Plain', 1, 0, 0, 0, 1780000500000, 1780000500000, NULL, NULL);

INSERT INTO messages VALUES
 ('m1', 's1', 'user', '[{"type":"text","data":{"text":"Prices are off."}},{"type":"binary","data":{"Path":"notes.txt","MIMEType":"text/plain","Data":"Y2VudHM="}},{"type":"binary","data":{"Path":"bill.png","MIMEType":"image/png","Data":"AAAA"}},{"type":"finish","data":{"reason":"stop","time":0}}]', NULL, 1780000001, 1780000001, NULL, NULL, 0),
 ('m2', 's1', 'assistant', '[{"type":"reasoning","data":{"thinking":"Two files.","signature":"c2ln","thought_signature":"","tool_id":"","responses_data":null,"started_at":1780000002}},{"type":"text","data":{"text":"I look."}},{"type":"tool_call","data":{"id":"call_1","name":"agent","input":"{\"prompt\":\"look\"}","provider_executed":false,"finished":true}},{"type":"tool_call","data":{"id":"call_2","name":"view","input":"{\"file_path\":\"a.go\"}","finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1780000003}}]', 'claude-a', 1780000002, 1780000003, 1780000003, 'anthropic', 0),
 ('m3', 's1', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"call_2","name":"view","content":"package a","data":"","mime_type":"","metadata":"","is_error":false}},{"type":"tool_result","data":{"tool_call_id":"call_1","name":"agent","content":"no such agent","is_error":true}},{"type":"finish","data":{"reason":"stop","time":0}}]', NULL, 1780000003, 1780000003, NULL, NULL, 0),
 ('m4', 's1', 'assistant', '[{"type":"reasoning","data":{"thinking":"","signature":"","thought_signature":"","tool_id":"","responses_data":{"item_id":"rs_1","encrypted_content":"ZW5j","summary":[]}}},{"type":"text","data":{"text":"Fixed."}},{"type":"finish","data":{"reason":"end_turn","time":1780000004}}]', 'gpt-b', 1780000004, 1780000004, 1780000004, 'openai', 0),
 ('m5', 's1', 'user', '[{"type":"shell_command","data":{"command":"make","output":"ok","exit_code":0}},{"type":"hologram","data":{"rays":7}}]', NULL, 1780000005, 1780000005, NULL, NULL, 0),
 ('m6', 's1', 'assistant', '[{"type":"reasoning","data":{"thinking":"What was done?","signature":""}},{"type":"text","data":{"text":"The rounding is fixed."}},{"type":"finish","data":{"reason":"end_turn","time":1780000006}}]', 'gpt-b', 1780000006, 1780000006, 1780000006, 'openai', 1),
 ('m7', 's1', 'user', '[{"type":"text","data":{"text":"Go on.","hidden":true}}]', NULL, 1780000007000, 1780000007000, NULL, NULL, 0),
 ('m8', 's1', 'assistant', '[{"type":"reasoning","data":{"thinking":"","signature":"","thought_signature":"dGg=","tool_id":"call_3","responses_data":null}},{"type":"tool_call","data":{"id":"call_3","name":"bash","input":"{\"comm","finished":false}}]', 'gemini-c', 1780000008000, 1780000008000, NULL, 'google', 0),
 ('m9', 's1', 'assistant', 'torn', 'gemini-c', 1780000009000, 1780000009000, NULL, 'google', 0),
 ('c1', 'm2$$call_1', 'user', '[{"type":"text","data":{"text":"look"}}]', NULL, 1780000003, 1780000003, NULL, NULL, 0),
 ('t1', 'title-s1', 'user', '[{"type":"text","data":{"text":"a title please"}}]', NULL, 1780000002, 1780000002, NULL, NULL, 0),
 ('p1', 's2', 'user', '[{"type":"image_url","data":{"url":"https://example.org/a.png"}}]', NULL, 1780000500000, 1780000500000, NULL, NULL, 0);
