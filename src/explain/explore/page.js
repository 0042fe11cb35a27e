"use strict";
// Moves in a recorded run. A state is a list of sections, each a title and the indices of its lines. Some states are
// written in full, the others as what differs from the state before.

/**
 * The data of the page, as `page.rs` writes them.
 * @typedef {{ first: number, all: number, lines: string[], codes: Code[], states: State[], failure: Failure | null,
 *   source: string[] }} Run
 * @typedef {{ name: string | null, lines: [pc: number, label: string, text: string, line: number | null][] }} Code
 * @typedef {[code: number, pc: number | null, line: number | null, depth: number, ended: string | null,
 *   changes: Changes]} State
 * @typedef {{ step: number, text: string[], line: number | null }} Failure
 * @typedef {[title: number, rows: number[]]} Section
 * @typedef {[null, Section[]] | [section: number, start: number, end: number, inserted: number[]][]} Changes
 * @typedef {[depth: number, name: string, value: string, isOut?: 1]} Line
 */

/**
 * A row of a state. Its name is unlike those of all other rows of the state.
 * @typedef {{ name: string, line: number, depth: number, label: string, value: string,
 *   isOut: boolean }} Row
 */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no element ${id}`);
  return found;
}

const view = {
  all: element("all", HTMLOutputElement),
  code: element("code", HTMLOListElement),
  codeTitle: element("code-title", HTMLHeadingElement),
  failure: element("failure", HTMLDivElement),
  filter: element("filter", HTMLInputElement),
  moves: element("moves", HTMLFormElement),
  page: element("page", HTMLElement),
  source: element("source", HTMLOListElement),
  sourcePart: element("source-part", HTMLDivElement),
  state: element("state", HTMLDivElement),
  status: element("status", HTMLParagraphElement),
  step: element("step", HTMLInputElement),
  wait: element("wait", HTMLParagraphElement),
};

/** @type {Run} */ let run;
let now = 0;
/** @type {Section[]} */ let sections = [];
/** The name of the selected row, and the index of the selected instruction. */
let datum = "";
let selectedCode = 0;

async function open() {
  const text = element("data", HTMLScriptElement).textContent ?? "";
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) packed[at] = letters.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  run = await new Response(stream).json();
  view.all.textContent = String(run.all);
  view.step.max = String(run.first + run.states.length - 1);
  if (run.failure !== null) {
    view.failure.textContent = run.failure.text.join("\n");
    view.failure.hidden = false;
  }
  view.page.hidden = false;
  view.wait.hidden = true;
  follow();
}

/** The state after changes. A section that does not change is the same object. */
function changed(/** @type {Section[]} */ state, /** @type {Changes} */ changes) {
  if (isAll(changes)) return changes[1];
  if (changes.length === 0) return state;
  const next = state.slice();
  for (const [index, start, end, inserted] of changes) {
    const [title, old] = next[index];
    next[index] = [title, [...old.slice(0, start), ...inserted, ...old.slice(old.length - end)]];
  }
  return next;
}

/**
 * Whether changes are all sections of a state.
 * @param {Changes} changes
 * @returns {changes is [null, Section[]]}
 */
function isAll(changes) {
  return changes[0] === null;
}

/** The last state that is written in full, up to this one. The first one is. */
function fullBefore(/** @type {number} */ index) {
  let at = index;
  while (!isAll(run.states[at][5])) at -= 1;
  return at;
}

/** The sections of a state. */
function stateAt(/** @type {number} */ index) {
  /** @type {Section[]} */ let state = [];
  for (let at = fullBefore(index); at <= index; at += 1) state = changed(state, run.states[at][5]);
  return state;
}

function titleOf(/** @type {Section} */ [title]) {
  return /** @type {[string]} */ (JSON.parse(run.lines[title]))[0];
}

function rowsOf(/** @type {Section} */ section) {
  const title = titleOf(section);
  /** @type {string[]} */ const around = [];
  return section[1].map((index) => {
    const [depth, label, value, out] = /** @type {Line} */ (JSON.parse(run.lines[index]));
    around.length = depth;
    around.push(label);
    const name = [title, ...around].join("\n");
    return /** @type {Row} */ ({ name, line: index, depth, label, value, isOut: out === 1 });
  });
}

function go(/** @type {number} */ index) {
  now = Math.max(0, Math.min(index, run.states.length - 1));
  sections = stateAt(now);
  const [code, pc, , , ended] = run.states[now];
  const shownPc = pc ?? (now > 0 ? run.states[now - 1][1] : null);
  selectedCode = run.codes[code].lines.findIndex(([at]) => at === shownPc);
  paint();
  view.status.textContent = ended === null ? "" : "ended: " + ended;
  try {
    history.replaceState(null, "", "#step=" + (run.first + now));
  } catch {
    // A page in a sandbox has no history.
  }
}

function paint() {
  view.step.value = String(run.first + now);
  paintCode();
  paintState();
  paintSource();
  for (const button of view.moves.querySelectorAll("button")) {
    const move = button.dataset.move ?? "";
    button.disabled =
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
  view.codeTitle.textContent = name ?? "code";
  const from = Math.max(0, selectedCode - MOST_CODE / 2);
  const items = all.slice(from, from + MOST_CODE).map(([at, label, text, source], offset) => {
    const item = document.createElement("li");
    const mark = at === pc ? ">" : " ";
    item.textContent = `${mark} ${label}  ${text}${source === null ? "" : "  ; line " + source}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(from + offset === selectedCode));
    item.dataset.code = String(from + offset);
    if (at === pc) item.className = "now";
    return item;
  });
  if (pc !== null && !all.some(([at]) => at === pc)) {
    const end = document.createElement("li");
    end.textContent = "> (no instruction: the end of the code)";
    end.className = "now";
    items.push(end);
  }
  view.code.replaceChildren(...items);
  scrollInside(view.code, ".now, [aria-selected=true]");
}

function paintState() {
  const rowsBefore = now > 0 ? stateAt(now - 1).flatMap(rowsOf) : [];
  const before = new Map(rowsBefore.map((row) => [row.name, row.value]));
  const words = view.filter.value.toLowerCase();
  const items = sections.flatMap((section) => {
    const rows = rowsOf(section).filter((row) => `${row.name}\n${row.value}`.toLowerCase().includes(words));
    if (rows.length === 0 && words !== "") return [];
    const heading = document.createElement("div");
    heading.textContent = titleOf(section);
    heading.className = "heading";
    heading.setAttribute("role", "presentation");
    return [heading, ...rows.map((row) => stateItem(row, now > 0 && before.get(row.name) !== row.value))];
  });
  view.state.replaceChildren(...items);
  scrollInside(view.state, "[aria-selected=true], .changed");
}

function stateItem(/** @type {Row} */ row, /** @type {boolean} */ isChanged) {
  const item = document.createElement("div");
  const out = row.isOut ? " (out of scope)" : "";
  item.textContent = `${isChanged ? "*" : " "} ${"  ".repeat(row.depth)}${row.label}: ${row.value}${out}`;
  item.className = [isChanged ? "changed" : "", row.isOut ? "out" : ""].join(" ").trim();
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(row.name === datum));
  item.dataset.datum = row.name;
  return item;
}

function paintSource() {
  view.sourcePart.hidden = run.source.length === 0;
  const current = run.states[now][2];
  const items = run.source.map((text, index) => {
    const item = document.createElement("li");
    item.textContent = `${index + 1 === current ? ">" : " "} ${index + 1}  ${text}`;
    if (index + 1 === current) item.className = "now";
    return item;
  });
  view.source.replaceChildren(...items);
  scrollInside(view.source, ".now");
}

/** Scrolls a list, and not the page, to the first item of these. */
function scrollInside(/** @type {HTMLElement} */ list, /** @type {string} */ selector) {
  const item = list.querySelector(selector);
  if (!(item instanceof HTMLElement)) return;
  const place = item.offsetTop - list.offsetTop;
  if (place < list.scrollTop || place > list.scrollTop + list.clientHeight - 40) {
    list.scrollTop = place - list.clientHeight / 2;
  }
}

/** The first state after this one for which this holds. */
function find(/** @type {(state: State) => boolean} */ holds) {
  const found = run.states.slice(now + 1).findIndex(holds);
  return found < 0 ? null : now + 1 + found;
}

/** Returns a function that finds the value of the selected datum in a state. States that follow each other share sections. */
function valueFinder() {
  const title = run.lines.indexOf(JSON.stringify([datum.split("\n", 1)[0]]));
  /** @type {Section | undefined} */ let last;
  /** @type {string | undefined} */ let value;
  return (/** @type {Section[]} */ state) => {
    const section = state.find(([its]) => its === title);
    if (section !== last) {
      last = section;
      value = section && rowsOf(section).find((row) => row.name === datum)?.value;
    }
    return value;
  };
}

/** The first state after this one in which the selected datum has another value. */
function nextChange() {
  const value = valueFinder();
  let state = sections;
  const here = value(state);
  for (let at = now + 1; at < run.states.length; at += 1) {
    state = changed(state, run.states[at][5]);
    if (value(state) !== here) return at;
  }
  return null;
}

/** The last state, up to this one, in which the selected datum has another value than in the state before it. */
function lastChange() {
  const value = valueFinder();
  for (let end = now; end > 0; ) {
    const from = fullBefore(end - 1);
    let state = stateAt(from);
    let before = value(state);
    let found = null;
    for (let at = from + 1; at <= end; at += 1) {
      state = changed(state, run.states[at][5]);
      const after = value(state);
      if (after !== before) found = at;
      before = after;
    }
    if (found !== null) return found;
    end = from;
  }
  return null;
}

function goOr(/** @type {number | null} */ index, /** @type {string} */ message) {
  if (index === null) view.status.textContent = message;
  else go(index);
}

const moves = {
  first: () => go(0),
  last: () => go(run.states.length - 1),
  back: () => go(now - 1),
  forward: () => go(now + 1),
  over: () => goOr(find((state) => state[3] <= run.states[now][3]) ?? run.states.length - 1, ""),
  out: () => goOr(find((state) => state[3] < run.states[now][3]) ?? run.states.length - 1, ""),
  lastWrite() {
    const found = datum === "" ? null : lastChange();
    goOr(found === null ? null : found - 1, datum === "" ? "select a row of the state first" : "no change before");
  },
  nextWrite() {
    goOr(datum === "" ? null : nextChange(), datum === "" ? "select a row of the state first" : "no change after");
  },
  nextExecution() {
    const code = run.states[now][0];
    const line = run.codes[code].lines[selectedCode];
    if (line === undefined) return;
    goOr(find((state) => state[0] === code && state[1] === line[0]), "it is not executed after this");
  },
  failure() {
    const failure = run.failure;
    if (failure === null) return;
    const index = failure.step - run.first;
    const row = stateAt(index).flatMap(rowsOf).find((row) => row.line === failure.line);
    if (row !== undefined) datum = row.name;
    go(index);
  },
};

/** @type {Partial<Record<string, keyof typeof moves>>} */
const keys = {
  s: "forward", ArrowRight: "forward", b: "back", ArrowLeft: "back", o: "over", u: "out", p: "lastWrite",
  n: "nextWrite", x: "nextExecution", f: "failure", 0: "first", Home: "first", G: "last", End: "last",
};

/** Moves the selection of a list by this number of rows. */
function select(/** @type {Element} */ list, /** @type {number} */ by) {
  /** @type {NodeListOf<HTMLElement>} */ const options = list.querySelectorAll("[role=option]");
  const at = Array.from(options).findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (options.length > 0) choose(options[Math.max(0, Math.min(at + by, options.length - 1))]);
}

function choose(/** @type {HTMLElement} */ option) {
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
  const target = event.target;
  if (target instanceof HTMLInputElement || event.ctrlKey || event.altKey || event.metaKey) return;
  const list = (target instanceof Element && target.closest("[role=listbox]")) || view.state;
  const move = keys[event.key];
  if (move !== undefined) moves[move]();
  else if (event.key === "ArrowUp") select(list, -1);
  else if (event.key === "ArrowDown") select(list, 1);
  else if (event.key === "g") view.step.focus();
  else if (event.key === "/") view.filter.focus();
  else return;
  event.preventDefault();
});
view.moves.addEventListener("click", ({ target }) => {
  const button = target instanceof Element && target.closest("button");
  if (button) moves[/** @type {keyof typeof moves} */ (button.dataset.move)]();
});
for (const list of [view.code, view.state]) {
  list.addEventListener("click", ({ target }) => {
    const option = target instanceof Element && target.closest("[role=option]");
    if (option instanceof HTMLElement) choose(option);
  });
}
view.step.addEventListener("change", () => go(Number(view.step.value) - run.first));
view.filter.addEventListener("input", paintState);
view.moves.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
open();
