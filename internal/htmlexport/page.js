"use strict";
// What a reader without script does with the mouse and the browser's own search:
// searching everything, going to the next of a kind, times in the reader's zone.
(() => {
	const id = (name) => document.getElementById(name);
	const said = id("said"), field = id("q");
	let rows = null, found = [], at = -1, asked = 0;

	const all = () => (rows ??= [...document.querySelectorAll(".e")]);
	const tell = (text) => { said.textContent = text; };

	function show(row) {
		document.querySelector(".at")?.classList.remove("at");
		for (let up = row.parentElement; up; up = up.parentElement) {
			if (up.tagName === "DETAILS") up.open = true;
		}
		row.classList.add("at");
		const line = row.querySelector("summary") ?? row;
		if (line === row) row.tabIndex = -1;
		row.scrollIntoView({ block: "center" });
		line.focus({ preventScroll: true });
	}

	function mark(row, words) {
		if (!globalThis.Highlight || !CSS.highlights) return;
		CSS.highlights.delete("found");
		const ranges = [];
		const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
		while (texts.nextNode() && ranges.length < 500) {
			const text = texts.currentNode.data.toLowerCase();
			for (let i = text.indexOf(words); i >= 0 && text.length === texts.currentNode.length; i = text.indexOf(words, i + words.length)) {
				const range = new Range();
				range.setStart(texts.currentNode, i);
				range.setEnd(texts.currentNode, i + words.length);
				ranges.push(range);
			}
		}
		CSS.highlights.set("found", new Highlight(...ranges));
	}

	// A piece at a time, so that a long page answers meanwhile.
	function search(words, then) {
		const mine = ++asked;
		found = []; at = -1;
		let i = 0;
		(function piece() {
			if (mine !== asked) return;
			const until = performance.now() + 30;
			while (i < all().length && performance.now() < until) {
				if (all()[i].textContent.toLowerCase().includes(words)) found.push(all()[i]);
				i++;
			}
			if (i < all().length) {
				tell("searching …");
				setTimeout(piece);
				return;
			}
			tell(found.length === 1 ? "1 entry" : `${found.length.toLocaleString("en")} entries`);
			then();
		})();
	}

	let words = "";
	function go(step) {
		const want = field.value.trim().toLowerCase();
		if (!want) return;
		const move = () => {
			if (!found.length) return;
			at = (at + step + found.length) % found.length;
			show(found[at]);
			if (found[at].tagName === "DETAILS") found[at].open = true;
			mark(found[at], words);
			tell(`${(at + 1).toLocaleString("en")} of ${found.length.toLocaleString("en")}`);
		};
		if (want === words) return move();
		words = want;
		search(words, () => { if (step < 0) at = 0; move(); });
	}

	function jump(kind, name) {
		const list = [...document.querySelectorAll(`.e.${kind}`)];
		const here = document.querySelector(".at");
		const next = list.find((row) => !here || here.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING) ?? list[0];
		if (next) show(next);
		tell(next ? `${list.indexOf(next) + 1} of ${list.length}` : `none: ${name}`);
	}

	function step(by) {
		const visible = all().filter((row) => !row.parentElement.closest("details:not([open])"));
		const here = visible.indexOf(document.querySelector(".at"));
		const next = visible[Math.min(Math.max(here + by, 0), visible.length - 1)];
		if (next) show(next);
	}

	id("next").addEventListener("click", () => go(1));
	id("prev").addEventListener("click", () => go(-1));
	field.addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); go(e.shiftKey ? -1 : 1); field.focus(); } });
	for (const b of document.querySelectorAll("[data-to]")) b.addEventListener("click", () => jump(b.dataset.to, b.textContent));
	id("all").addEventListener("click", (e) => {
		const open = e.currentTarget.getAttribute("aria-pressed") !== "true";
		e.currentTarget.setAttribute("aria-pressed", String(open));
		for (const turn of document.querySelectorAll(".turn")) turn.open = open;
	});
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
		const does = { "/": () => field.focus(), n: () => go(1), N: () => go(-1), j: () => step(1), k: () => step(-1), e: () => jump("bad", "errors"), u: () => jump("user", "messages"), c: () => jump("cmp", "compactions") }[e.key];
		if (does) { e.preventDefault(); does(); }
	});
	addEventListener("hashchange", target);
	function target() {
		const row = /^#e\d+$/.test(location.hash) && id(location.hash.slice(1));
		if (row) show(row);
	}

	const zone = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
	for (const t of document.querySelectorAll("time")) {
		t.title = t.textContent;
		t.textContent = zone.format(new Date(t.dateTime));
	}
	id("tools").hidden = false;
	target();
})();
