// Tenfold for pi. "tenfold install pi" wrote this file and "tenfold uninstall pi"
// removes it. It only carries bytes: "tenfold hook pi" decides. Whatever goes
// wrong, pi goes on as without it, and "tenfold doctor" shows why.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { VERSION } from "@earendil-works/pi-coding-agent";

const BINARY = {{.Binary}};
const SLOW = {{.Slow}}; // milliseconds after which an answer is not waited for
const LARGE = {{.Large}}; // characters from which on a tool's result is shown to Tenfold

// ask runs "tenfold hook pi EVENT"; undefined stands for no answer.
function ask(name: string, input: any, signal?: AbortSignal): Promise<any> {
	return new Promise((done) => {
		let out = "";
		const child = spawn(existsSync(BINARY) ? BINARY : "tenfold", ["hook", "pi", name], {
			stdio: ["pipe", "pipe", "ignore"], timeout: SLOW, killSignal: "SIGKILL", signal, windowsHide: true,
		});
		child.on("error", () => done(undefined));
		child.stdin.on("error", () => {});
		child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
		child.on("close", (code: number | null) => {
			try {
				done(code === 0 ? JSON.parse(out) : undefined);
			} catch {
				done(undefined);
			}
		});
		child.stdin.end(JSON.stringify({ pi: VERSION, ...input }));
	});
}

// session says where the conversation is: in the file that pi keeps, or in pi alone.
function session(pi: any, ctx: any) {
	const kept = ctx.sessionManager;
	const path = kept.getSessionFile();
	// The file is read up to its last line, which must hang from where pi stands.
	if (path && kept.getEntries().at(-1)?.id !== kept.getLeafId()) pi.appendEntry("tenfold", {});
	return {
		path, cwd: ctx.cwd, window: ctx.model?.contextWindow, used: ctx.getContextUsage()?.tokens ?? undefined,
		lines: path ? undefined : [kept.getHeader(), ...kept.getBranch()],
	};
}

// shown gives the messages of a request: those that Tenfold's view has in place of
// all there was before the last compaction, and what came after it.
function shown(branch: any[], messages: any[]): any[] | undefined {
	const at = branch.findLastIndex((e) => e.type === "compaction");
	const ours = branch[at]?.details?.tenfold;
	if (ours?.version !== 1 || !messages.some((m) => m.role === "compactionSummary")) return undefined;
	const entries = new Map(branch.map((e) => [e.id, e]));
	const view = ours.view.map((m: any) => (typeof m === "string" ? entries.get(m)?.message : m));
	if (!view.every((m: any) => m?.role)) return undefined;
	let last = -1; // the last message from before the compaction
	for (let i = at - 1; i >= 0 && last < 0; i--) {
		if (!["message", "custom_message", "branch_summary"].includes(branch[i].type)) continue;
		const m = branch[i].message ?? branch[i];
		const time = typeof m.timestamp === "number" ? m.timestamp : Date.parse(m.timestamp);
		last = messages.findLastIndex((x) => x.timestamp === time && x.toolCallId === m.toolCallId && x.role !== "system");
	}
	if (last < 0) last = messages.findIndex((m) => m.role === "compactionSummary");
	const system = messages.slice(0, last + 1).filter((m) => m.role === "system");
	return [...system, ...structuredClone(view), ...messages.slice(last + 1)];
}

export default function (pi: any) {
	let cold = false; // the compaction under way was our own wish

	pi.on("session_start", async (event: any, ctx: any) => {
		if (!["startup", "resume", "fork"].includes(event.reason)) return;
		const last = ctx.sessionManager.getBranch().findLast((e: any) => e.message?.role === "assistant");
		if (!last) return;
		const answer = await ask("session_start", { ...session(pi, ctx), last: last.timestamp });
		if (!answer?.compact) return;
		cold = true;
		await new Promise<void>((done) => ctx.compact({ onComplete: () => done(), onError: () => done() }));
		cold = false;
	});

	pi.on("session_before_compact", async (event: any, ctx: any) => {
		const answer = await ask("session_before_compact", {
			...session(pi, ctx), reason: cold ? "cold" : event.reason, focus: event.customInstructions,
			firstKept: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore,
		}, event.signal);
		if (answer?.compaction) return { compaction: answer.compaction };
		if (cold) return { cancel: true };
	});

	pi.on("session_compact", (event: any, ctx: any) => {
		const line = event.compactionEntry.details?.tenfold?.line;
		// Once pi has drawn the conversation anew.
		if (event.fromExtension && line && ctx.hasUI) setTimeout(() => ctx.ui.notify(line, "info"), 0);
	});

	pi.on("context", (event: any, ctx: any) => {
		const messages = shown(ctx.sessionManager.getBranch(), event.messages);
		if (messages) return { messages };
	});

	pi.on("tool_result", async (event: any, ctx: any) => {
		const size = event.content.reduce((n: number, part: any) => n + (part.text?.length ?? 0), 0);
		if (size < LARGE) return;
		const { toolName, toolCallId, input, content, isError } = event;
		const where = { cwd: ctx.cwd, session: ctx.sessionManager.getSessionId() };
		const answer = await ask("tool_result", { ...where, toolName, toolCallId, input, content, isError }, ctx.signal);
		if (answer?.content) return { content: answer.content };
	});
}
