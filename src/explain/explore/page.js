"use strict";
// Moves in a recorded run. A state is a list of sections, each a title and the indices of its lines. All states but
// each BLOCK-th one are kept as what differs from the state before.
// @ts-check

const BLOCK = 500;
const element = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** @type {any} */ let run;
/** @type {any[][]} */ let lines;
/** Sections of the states BLOCK - 1, 2 * BLOCK - 1, ... @type {any[]} */ const kept = [];
let now = 0;
/** @type {any[]} */ let sections = [];
/** The name of the selected datum, and the index of the selected instruction. */
let datum = "";
let selectedCode = 0;

async function open() {
  const packed = Uint8Array.from(atob(element("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  run = await new Response(stream).json();
  lines = run.lines.map((/** @type {string} */ line) => JSON.parse(line));
  let state = [];
  for (let index = 0; index < run.states.length; index += 1) {
    state = changed(state, run.states[index][5]);
    if (index % BLOCK === BLOCK - 1) kept.push(state);
  }
  element("all").textContent = run.all;
  element("step").max = run.first + run.states.length - 1;
  if (run.failure !== null) {
    element("failure").textContent = run.failure.text.join("\n");
    element("failure").hidden = false;
  }
  element("page").hidden = false;
  element("wait").hidden = true;
  follow();
}

/** The state after changes. */
function changed(/** @type {any[]} */ state, /** @type {any[]} */ changes) {
  if (changes[0] === null) return changes[1];
  if (changes.length === 0) return state;
  const next = state.slice();
  for (const [index, start, end, inserted] of changes) {
    const [title, old] = next[index];
    next[index] = [title, [...old.slice(0, start), ...inserted, ...old.slice(old.length - end)]];
  }
  return next;
}

/** The sections of a state. */
function stateAt(/** @type {number} */ index) {
  if (index < 0) return null;
  const block = Math.floor((index + 1) / BLOCK);
  let state = block > 0 ? kept[block - 1] : [];
  for (let at = block * BLOCK; at <= index; at += 1) state = changed(state, run.states[at][5]);
  return state;
}

/** The values of a state by the names of their sections and of the rows around them. */
function values(/** @type {any[]} */ state) {
  const found = new Map();
  for (const row of rows(state)) found.set(row.name, row.value);
  return found;
}

function rows(/** @type {any[]} */ state) {
  const all = [];
  for (const [title, indices] of state) {
    const section = lines[title][0];
    const around = [];
    for (const index of indices) {
      const [depth, name, value, out] = lines[index];
      around.length = depth;
      around.push(name);
      all.push({ section, line: index, depth, label: name, value, out, name: [section, ...around].join("\n") });
    }
  }
  return all;
}

function go(/** @type {number} */ index, message = "") {
  now = Math.max(0, Math.min(index, run.states.length - 1));
  sections = stateAt(now) ?? [];
  const [code, pc, , , ended] = run.states[now];
  const shownPc = pc ?? (now > 0 ? run.states[now - 1][1] : null);
  selectedCode = run.codes[code].lines.findIndex((/** @type {any} */ line) => line[0] === shownPc);
  paint();
  element("status").textContent = [message, ended === null ? "" : "ended: " + ended].filter(Boolean).join(" ");
  try {
    history.replaceState(null, "", "#step=" + (run.first + now));
  } catch {
    // A page in a sandbox has no history.
  }
}

function paint() {
  element("step").value = run.first + now;
  paintCode();
  paintState();
  paintSource();
  for (const button of document.querySelectorAll("[data-move]")) {
    const move = /** @type {any} */ (button).dataset.move;
    /** @type {any} */ (button).disabled =
      (move === "failure" && run.failure === null) ||
      (["first", "back"].includes(move) && now === 0) ||
      (["last", "forward"].includes(move) && now === run.states.length - 1);
  }
}

/** Shows this number of lines of code, around the current one: a program may have many. */
const MOST_CODE = 400;

function paintCode() {
  const [code, pc] = run.states[now];
  const { name, lines: all } = run.codes[code];
  element("code-title").textContent = name ?? "code";
  const from = Math.max(0, selectedCode - MOST_CODE / 2);
  const items = all.slice(from, from + MOST_CODE).map((/** @type {any} */ line, /** @type {number} */ offset) => {
    const [at, label, text, source] = line;
    const item = document.createElement("li");
    const mark = at === pc ? ">" : " ";
    item.textContent = `${mark} ${label}  ${text}${source === null ? "" : "  ; line " + source}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(from + offset === selectedCode));
    item.dataset.code = String(from + offset);
    if (at === pc) item.className = "now";
    return item;
  });
  if (pc !== null && !all.some((/** @type {any} */ line) => line[0] === pc)) {
    const end = document.createElement("li");
    end.textContent = "> (no instruction: the end of the code)";
    end.className = "now";
    items.push(end);
  }
  element("code").replaceChildren(...items);
  scrollTo(element("code"), element("code").querySelector(".now, [aria-selected=true]"));
}

function paintState() {
  const before = now > 0 ? values(/** @type {any[]} */ (stateAt(now - 1))) : null;
  const words = element("filter").value.toLowerCase();
  const items = [];
  let section = "";
  for (const row of rows(sections)) {
    if (!row.name.toLowerCase().includes(words) && !String(row.value).toLowerCase().includes(words)) continue;
    if (row.section !== section) {
      section = row.section;
      const heading = document.createElement("div");
      heading.textContent = section;
      heading.className = "heading";
      heading.setAttribute("role", "presentation");
      items.push(heading);
    }
    const item = document.createElement("div");
    const isChanged = before !== null && before.get(row.name) !== row.value;
    const out = row.out === 1 ? " (out of scope)" : "";
    item.textContent = `${isChanged ? "*" : " "} ${"  ".repeat(row.depth)}${row.label}: ${row.value}${out}`;
    item.className = [isChanged ? "changed" : "", row.out === 1 ? "out" : ""].join(" ").trim();
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(row.name === datum));
    item.dataset.datum = row.name;
    items.push(item);
  }
  element("state").replaceChildren(...items);
  scrollTo(element("state"), element("state").querySelector("[aria-selected=true], .changed"));
}

function paintSource() {
  element("source-part").hidden = run.source.length === 0;
  const current = run.states[now][2];
  const items = run.source.map((/** @type {string} */ text, /** @type {number} */ index) => {
    const item = document.createElement("li");
    item.textContent = `${index + 1 === current ? ">" : " "} ${index + 1}  ${text}`;
    if (index + 1 === current) item.className = "now";
    return item;
  });
  element("source").replaceChildren(...items);
  scrollTo(element("source"), element("source").querySelector(".now"));
}

/** Scrolls a list, and not the page. */
function scrollTo(/** @type {any} */ list, /** @type {any} */ item) {
  if (item === null) return;
  const place = item.offsetTop - list.offsetTop;
  if (place < list.scrollTop || place > list.scrollTop + list.clientHeight - 40) {
    list.scrollTop = place - list.clientHeight / 2;
  }
}

/** The first state after this one for which this holds, or the last one before. */
function find(/** @type {number} */ by, /** @type {(state: any) => boolean} */ holds) {
  for (let at = now + by; at >= 0 && at < run.states.length; at += by) if (holds(run.states[at])) return at;
  return null;
}

/** The state that a change of the selected datum leads to, after this state or before. */
function findChange(/** @type {boolean} */ isBack) {
  const value = (/** @type {any[]} */ state) => values(state).get(datum);
  if (!isBack) {
    let state = sections;
    const here = value(state);
    for (let at = now + 1; at < run.states.length; at += 1) {
      state = changed(state, run.states[at][5]);
      if (value(state) !== here) return at;
    }
    return null;
  }
  for (let end = now; end > 0; ) {
    const start = Math.max(0, Math.floor((end - 1) / BLOCK) * BLOCK);
    let state = /** @type {any[]} */ (stateAt(start));
    let last = value(state);
    let found = null;
    for (let at = start + 1; at <= end; at += 1) {
      state = changed(state, run.states[at][5]);
      const next = value(state);
      if (next !== last) found = at;
      last = next;
    }
    if (found !== null) return found;
    end = start;
    if (start > 0 && value(/** @type {any[]} */ (stateAt(start - 1))) !== value(/** @type {any[]} */ (stateAt(start)))) {
      return start;
    }
  }
  return null;
}

function goOr(/** @type {number | null} */ index, /** @type {string} */ message) {
  if (index === null) element("status").textContent = message;
  else go(index);
}

/** @type {Record<string, () => void>} */
const moves = {
  first: () => go(0),
  last: () => go(run.states.length - 1),
  back: () => go(now - 1),
  forward: () => go(now + 1),
  over: () => goOr(find(1, (state) => state[3] <= run.states[now][3]) ?? run.states.length - 1, ""),
  out: () => goOr(find(1, (state) => state[3] < run.states[now][3]) ?? run.states.length - 1, ""),
  lastWrite() {
    const found = datum === "" ? null : findChange(true);
    goOr(found === null ? null : found - 1, datum === "" ? "select a row of the state first" : "no change before");
  },
  nextWrite() {
    goOr(datum === "" ? null : findChange(false), datum === "" ? "select a row of the state first" : "no change after");
  },
  nextExecution() {
    const code = run.states[now][0];
    const line = run.codes[code].lines[selectedCode];
    if (line === undefined) return;
    goOr(find(1, (state) => state[0] === code && state[1] === line[0]), "it is not executed after this");
  },
  failure() {
    if (run.failure === null) return;
    const index = run.failure.step - run.first;
    const row = rows(stateAt(index) ?? []).find((row) => row.line === run.failure.line);
    if (row !== undefined) datum = row.name;
    go(index);
  },
};

/** @type {Record<string, string>} */
const keys = {
  s: "forward", ArrowRight: "forward", b: "back", ArrowLeft: "back", o: "over", u: "out", p: "lastWrite",
  n: "nextWrite", x: "nextExecution", f: "failure", 0: "first", Home: "first", G: "last", End: "last",
};

/** Moves the selection of a list by this number of rows. */
function select(/** @type {any} */ list, /** @type {number} */ by) {
  const options = Array.from(list.querySelectorAll("[role=option]"));
  const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
  const next = options[Math.max(0, Math.min(at + by, options.length - 1))];
  if (next !== undefined) choose(next);
}

function choose(/** @type {any} */ option) {
  if (option.dataset.code !== undefined) selectedCode = Number(option.dataset.code);
  if (option.dataset.datum !== undefined) datum = option.dataset.datum;
  paint();
}

/** Goes to the step of the address, or to the failure. */
function follow() {
  const step = new URLSearchParams(location.hash.slice(1)).get("step");
  if (step !== null && /^\d+$/.test(step)) go(Number(step) - run.first);
  else if (run.failure !== null) moves.failure();
  else go(0);
}

addEventListener("keydown", (event) => {
  const target = /** @type {any} */ (event.target);
  if (target.tagName === "INPUT" || event.ctrlKey || event.altKey || event.metaKey) return;
  const list = target.closest?.("[role=listbox]") ?? element("state");
  if (keys[event.key] !== undefined) moves[keys[event.key]]();
  else if (event.key === "ArrowUp") select(list, -1);
  else if (event.key === "ArrowDown") select(list, 1);
  else if (event.key === "g") element("step").focus();
  else if (event.key === "/") element("filter").focus();
  else return;
  event.preventDefault();
});
addEventListener("click", (event) => {
  const target = /** @type {any} */ (event.target);
  const move = target.closest("[data-move]");
  if (move !== null) moves[move.dataset.move]();
  const option = target.closest("[role=option]");
  if (option !== null) choose(option);
});
element("step").addEventListener("change", () => go(Number(element("step").value) - run.first));
element("filter").addEventListener("input", paintState);
element("moves").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
addEventListener("hashchange", follow);
open();
