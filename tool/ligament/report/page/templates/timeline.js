// SPDX-License-Identifier: Apache-2.0
// The timeline: threads below each other, callbacks with the spans in them, messages as lines.
// Panned and zoomed by mouse, touch and keyboard. Times are nanoseconds since the first event.
"use strict";

class Timeline {
  static ROW = 46;
  static LABEL = 16;

  constructor() {
    this.canvas = document.getElementById("timeline-canvas");
    this.strip = document.getElementById("timeline-strip");
    this.told = document.getElementById("timeline-told");
    this.help = this.told.textContent;
    this.pointers = new Map();
    this.data = null;
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, (event) => this.release(event));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.strip.addEventListener("click", (event) => this.jump(event));
  }

  show(data) {
    const box = document.getElementById("timeline-box"), note = document.getElementById("timeline-note");
    box.hidden = !data;
    this.data = data;
    if (!data) {
      note.textContent = "There is no timeline: the run's event table is not there, or nothing ran in it.";
      return;
    }
    const shown = duration(data.window[1] - data.window[0]);
    note.textContent = data.whole
      ? `All of the ${duration(data.span_ns)} that were recorded.`
      : `${shown} from the middle of the ${duration(data.span_ns)} that were recorded; the strip shows how busy the whole run was.` +
        (data.left_out ? ` ${data.left_out} slices of this window found no place.` : "");
    this.told.textContent = this.help;
    this.selected = null;
    this.legend();
    this.byTrack = data.tracks.map(() => []);
    data.slices.track.forEach((track, index) => this.byTrack[track].push(index));
    this.longest = data.slices.length.reduce((most, length) => Math.max(most, length), 0);
    this.top = 0;
    this.fit();
    this.resize();
  }

  legend() {
    const box = document.getElementById("timeline-legend");
    box.textContent = "";
    const used = new Set(this.data.slices.category);
    for (const name of this.data.categories.filter((_, place) => used.has(place))) {
      const entry = html(box, "span");
      const mark = element(entry, "svg", {viewBox: "0 0 26 12", "aria-hidden": "true"});
      element(mark, "rect", {width: 26, height: 12, rx: 2, fill: this.variable(name)});
      html(entry, "span", name === "device" ? "waits for a device" : name);
    }
  }

  variable(category) {
    return `var(--${category})`;
  }

  // What is seen at first: a few messages' worth, so that there is something to read.
  fit(all = false) {
    const [from, to] = this.data.window, count = this.data.slices.track.length;
    const part = all || count < 60 ? 1 : 60 / count;
    const length = Math.max(1, (to - from) * part);
    // Devices' slices come after those of the threads: the middle one is not the middle of the time.
    const begins = all || part === 1 ? [] : [...this.data.slices.begin].sort((a, b) => a - b);
    const begin = begins.length ? Math.max(from, Math.min(begins[Math.floor(count / 2)], to - length)) : from;
    const margin = length * 0.02;
    this.from = begin - margin;
    this.to = begin + length + margin;
  }

  resize() {
    if (!this.data) return;
    const tracks = this.data.tracks.length;
    this.width = Math.max(200, this.canvas.parentElement.clientWidth);
    this.height = Math.min(tracks * Timeline.ROW, 420) + 26;
    this.prepare(this.canvas, this.height);
    this.prepare(this.strip, 34);
    this.draw();
  }

  prepare(canvas, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = this.width * ratio;
    canvas.height = height * ratio;
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  x(ns) {
    return (ns - this.from) / (this.to - this.from) * this.width;
  }

  draw() {
    if (!this.data) return;
    this.canvas.dataset.from = Math.round(this.from);
    this.canvas.dataset.to = Math.round(this.to);
    this.ink = Object.fromEntries(["ink", "dim", "rim", "grid", "frame", "paper", "focus", ...this.data.categories].map((name) => [name, this.colour(`--${name}`)]));
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = "12px system-ui,'Segoe UI',Arial,sans-serif";
    this.drawScale(pen);
    pen.save();
    pen.beginPath();
    pen.rect(0, 22, this.width, this.height - 22);
    pen.clip();
    const first = Math.floor(this.top / Timeline.ROW), last = Math.min(this.data.tracks.length, first + Math.ceil(this.height / Timeline.ROW) + 1);
    for (let track = first; track < last; track++) this.drawTrack(pen, track);
    this.drawArrows(pen);
    pen.restore();
    this.drawStrip();
  }

  drawScale(pen) {
    const low = Math.max(this.from, 0), shared = unit(Math.max((this.to - this.from) / 2, 1));
    for (const mark of ticks(low, this.to, this.width < 500 ? 3 : 7)) {
      pen.fillStyle = this.ink.grid;
      pen.fillRect(this.x(mark), 18, 1, this.height);
      pen.fillStyle = this.ink.dim;
      const text = `${tickText(mark, shared)} ${shared[1]}`;
      pen.fillText(text, Math.min(Math.max(2, this.x(mark) - pen.measureText(text).width / 2), this.width - pen.measureText(text).width - 2), 14);
    }
  }

  rowTop(track) {
    return 24 + track * Timeline.ROW - this.top;
  }

  drawTrack(pen, track) {
    const {begin, length, category, depth, name} = this.data.slices, y = this.rowTop(track) + Timeline.LABEL;
    pen.fillStyle = this.ink.grid;
    pen.fillRect(0, y + 26, this.width, 1);
    for (const index of this.visible(track)) {
      const x = Math.max(-2, this.x(begin[index])), width = Math.max(1, Math.min(this.width + 4, this.x(begin[index] + length[index])) - x);
      const kind = this.data.categories[category[index]], nested = depth[index] > 0;
      pen.fillStyle = this.ink[kind];
      const top = y + (nested ? 4 + 3 * (depth[index] - 1) : 0), height = nested ? 18 - 6 * (depth[index] - 1) : 25;
      pen.fillRect(x, top, width, height);
      if (index === this.selected) {
        pen.strokeStyle = this.ink.ink;
        pen.lineWidth = 2;
        pen.strokeRect(x, top, width, height);
      }
      if (width > 60 && nested) this.inscribe(pen, this.data.names[name[index]], x + 5, top + 13, width - 10);
    }
    pen.fillStyle = this.ink.dim;
    pen.fillText(this.data.tracks[track], 4, y - 4);
  }

  inscribe(pen, text, x, y, room) {
    let shown = text;
    while (shown.length > 2 && pen.measureText(shown).width > room) shown = shown.slice(0, -2) + "…";
    if (pen.measureText(shown).width > room) return;
    pen.fillStyle = this.ink.paper;
    pen.fillText(shown, Math.max(x, 5), y);
  }

  // Slices of a track that are in sight; they are in order of their ends, nearly that of beginnings.
  visible(track) {
    const {begin, length} = this.data.slices;
    return this.byTrack[track].filter((index) => begin[index] <= this.to && begin[index] + length[index] >= this.from).sort((a, b) => this.data.slices.depth[a] - this.data.slices.depth[b]);
  }

  drawArrows(pen) {
    const seen = this.data.arrows.filter(([, sent, , taken]) => taken >= this.from && sent <= this.to);
    if (seen.length > 400) return;
    pen.strokeStyle = this.ink.dim;
    pen.fillStyle = this.ink.dim;
    pen.lineWidth = 1;
    for (const [tail, sent, head, taken] of seen) {
      const x = this.x(sent), y = this.rowTop(tail) + Timeline.LABEL + 22, end = this.x(taken), to = this.rowTop(head) + Timeline.LABEL + 2;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.bezierCurveTo((x + end) / 2, y, (x + end) / 2, to, end, to);
      pen.stroke();
      pen.fillRect(end - 2, to - 2, 4, 4);
    }
  }

  drawStrip() {
    const pen = this.strip.getContext("2d"), {counts, step_ns: step} = this.data.strip, span = Math.max(this.data.span_ns, 1);
    pen.clearRect(0, 0, this.width, 34);
    const most = Math.max(...counts, 1);
    pen.fillStyle = this.ink.dim;
    counts.forEach((count, place) => {
      const x = place * step / span * this.width;
      if (x <= this.width) pen.fillRect(x, 32 - count / most * 28, Math.max(1, step / span * this.width - 0.5), count / most * 28);
    });
    pen.strokeStyle = this.ink.focus;
    pen.lineWidth = 2;
    const from = Math.max(0, this.from) / span * this.width, to = Math.min(span, this.to) / span * this.width;
    pen.strokeRect(Math.min(from, this.width - 4), 1, Math.max(3, to - from), 32);
  }

  // --- moving -----------------------------------------------------------------------------------

  move(from, to) {
    const [low, high] = this.data.window, whole = Math.max(1, high - low);
    const length = Math.min(Math.max(to - from, 200), whole * 1.1);
    const middle = Math.min(Math.max((from + to) / 2, low), high);
    this.from = middle - length / 2;
    this.to = middle + length / 2;
    this.draw();
  }

  zoom(factor, at = this.width / 2) {
    const pivot = this.from + at / this.width * (this.to - this.from);
    this.move(pivot - (pivot - this.from) * factor, pivot + (this.to - pivot) * factor);
  }

  shift(pixels) {
    const by = pixels / this.width * (this.to - this.from);
    this.move(this.from + by, this.to + by);
  }

  lift(pixels) {
    const most = Math.max(0, this.data.tracks.length * Timeline.ROW - this.height + 30);
    this.top = Math.min(most, Math.max(0, this.top + pixels));
    this.draw();
  }

  act(what) {
    if (!this.data) return;
    const step = this.width * 0.25;
    const acts = {in: () => this.zoom(0.5), out: () => this.zoom(2), left: () => this.shift(-step), right: () => this.shift(step), up: () => this.lift(-Timeline.ROW * 3), down: () => this.lift(Timeline.ROW * 3), fit: () => { this.fit(true); this.draw(); }};
    acts[what]();
  }

  key(event) {
    const acts = {"+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", 0: "fit", Home: "fit"};
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (acts[event.key]) this.act(acts[event.key]);
    else if (event.key === "Enter") this.next();
    else return;
    event.preventDefault();
  }

  wheel(event) {
    if (!this.data || !(event.ctrlKey || event.metaKey)) return; // plain wheel scrolls the page
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY * 0.003), event.offsetX);
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    this.pressed = {x: event.offsetX, y: event.offsetY};
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before || !this.data) return;
    const now = {x: event.offsetX, y: event.offsetY};
    if (this.pointers.size === 1) {
      this.shift(before.x - now.x);
      if (event.pointerType === "mouse") this.lift(before.y - now.y);
    } else {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = Math.max(10, Math.abs(before.x - other.x)), then = Math.max(10, Math.abs(now.x - other.x));
      this.zoom(apart / then, other.x);
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    const still = this.pressed && Math.hypot(event.offsetX - this.pressed.x, event.offsetY - this.pressed.y) < 4;
    if (still && this.data && event.type === "pointerup") this.pick(event.offsetX, event.offsetY);
  }

  // --- reading ----------------------------------------------------------------------------------

  pick(x, y) {
    const track = Math.floor((y + this.top - 24) / Timeline.ROW);
    if (!this.byTrack[track]) return;
    const {begin, length} = this.data.slices, near = 3 / this.width * (this.to - this.from);
    const at = this.from + x / this.width * (this.to - this.from);
    const hit = this.visible(track).filter((index) => begin[index] - near <= at && at <= begin[index] + length[index] + near);
    this.select(hit.length ? hit.at(-1) : null);
  }

  next() {
    const {begin, track} = this.data.slices;
    if (!track.length) return;
    const order = this.order && this.orderOf === this.data ? this.order : track.map((_, index) => index).sort((a, b) => begin[a] - begin[b]);
    this.order = order;
    this.orderOf = this.data;
    const place = this.selected === null ? order.findIndex((index) => begin[index] >= this.from) : order.indexOf(this.selected) + 1;
    const index = order[Math.min(Math.max(place, 0), order.length - 1)];
    if (begin[index] > this.to || begin[index] < this.from) this.move(begin[index] - (this.to - this.from) / 4, begin[index] + (this.to - this.from) * 3 / 4);
    this.lift(track[index] * Timeline.ROW < this.top || (track[index] + 1) * Timeline.ROW > this.top + this.height ? track[index] * Timeline.ROW - this.top : 0);
    this.select(index);
  }

  select(index) {
    this.selected = index;
    if (index === null) {
      this.told.textContent = this.help;
    } else {
      const s = this.data.slices, seq = s.seq[index] ? `, message ${s.seq[index]}` : "", told = s.told[index] ? `; ${s.told[index]}` : "";
      this.told.textContent = `${this.data.categories[s.category[index]]} ${this.data.names[s.name[index]]}: ${duration(s.length[index])}, begins at ${(s.begin[index] / 1e6).toFixed(3)} ms, ${this.data.tracks[s.track[index]]}${seq}${told}`;
    }
    this.draw();
  }

  jump(event) {
    if (!this.data) return;
    const at = event.offsetX / this.width * this.data.span_ns, half = (this.to - this.from) / 2;
    this.move(at - half, at + half);
  }
}
