// SPDX-License-Identifier: Apache-2.0
// Asks for the state again and again, and draws it. Names come from messages: they are only ever
// set as text, never as markup.
"use strict";
const COLOURS = ["#2458a6", "#1a7f5a", "#a8641c", "#7a3ea8", "#c82828", "#0e7c86"];
const LOOK_MS = 250;
const byId = (id) => document.getElementById(id);
const figures = new Map();

function make(kind, parent, text) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

// One figure of a kind for each key; it stays where it is.
function figure(kind, name, made) {
  const key = `${kind} ${name}`;
  if (!figures.has(key)) {
    const outer = make("figure", byId("pictures"));
    outer.dataset.kind = kind;
    outer.dataset.name = name;
    const inner = made(outer);
    figures.set(key, {inner, caption: make("figcaption", outer, name), loaded: false});
  }
  return figures.get(key);
}

function canvas(width, height) {
  return (outer) => {
    const made = make("canvas", outer);
    made.width = width;
    made.height = height;
    return made;
  };
}

// --- images ---------------------------------------------------------------------------------------

async function showImage(topic) {
  const one = figure("image", topic, (outer) => make("img", outer));
  one.inner.alt = `The newest image of ${topic}`;
  const blob = await imageOf(topic);
  if (!blob) return;
  const old = one.inner.src;
  one.inner.src = URL.createObjectURL(blob);
  if (old) URL.revokeObjectURL(old);
}

async function imageOf(topic) {
  const answer = await fetch(`image?topic=${encodeURIComponent(topic)}`);
  return answer.status === 200 ? answer.blob() : null;  // else there is none yet
}

// --- plans: what is in one frame, from above --------------------------------------------------------

function placesOf(layer) {
  if (layer.kind === "marks") return Object.values(layer.marks).flatMap((mark) => mark.points);
  if (layer.kind === "grid") return gridCorners(layer);
  return layer.points;
}

function gridCorners({origin: [x, y, yaw], size: [w, h]}) {
  const c = Math.cos(yaw), s = Math.sin(yaw);
  return [[0, 0], [w, 0], [w, h], [0, h]].map(([u, v]) => [x + c * u - s * v, y + s * u + c * v]);
}

function sheetOf(layers, width, height) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const layer of layers) {
    for (const [x, y] of placesOf(layer)) {
      left = Math.min(left, x); right = Math.max(right, x);
      low = Math.min(low, y); high = Math.max(high, y);
    }
  }
  if (left > right) return null;
  const room = 0.05 * Math.max(right - left, high - low, 0.5);
  const scale = Math.min(width / (right - left + 2 * room), height / (high - low + 2 * room));
  return {scale, place: ([x, y]) => [(x - left + room) * scale, (high - y + room) * scale]};
}

function strokeLine(context, places, colour, width, closed) {
  context.beginPath();
  places.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
  if (closed) context.closePath();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

function dots(context, places, colour, size) {
  context.fillStyle = colour;
  for (const [x, y] of places) context.fillRect(x - size / 2, y - size / 2, size, size);
}

function drawMark(context, mark, sheet) {
  const places = mark.points.map(sheet.place);
  const width = Math.min(Math.max(mark.width * sheet.scale, 1), 60);
  if (mark.kind === "line") strokeLine(context, places, mark.colour, width, false);
  else if (mark.kind === "pieces") {
    for (let i = 0; i + 1 < places.length; i += 2) {
      strokeLine(context, places.slice(i, i + 2), mark.colour, width, false);
    }
  } else dots(context, places, mark.colour, mark.kind === "dot" ? width : 2);
}

function drawPose(context, [x, y, yaw], sheet, colour) {
  const [px, py] = sheet.place([x, y]);
  context.fillStyle = colour;
  context.beginPath();
  context.arc(px, py, 6, 0, 7);
  context.fill();
  strokeLine(context, [[px, py], [px + 18 * Math.cos(yaw), py - 18 * Math.sin(yaw)]], colour, 3);
}

function drawGrid(context, layer, sheet, picture) {
  if (!picture) return;
  const [x, y] = sheet.place(layer.origin);
  context.save();
  context.translate(x, y);
  context.rotate(-layer.origin[2]);
  context.imageSmoothingEnabled = false;
  const [w, h] = layer.size.map((metres) => metres * sheet.scale);
  context.drawImage(picture, 0, -h, w, h);
  context.restore();
}

const grids = new Map();
async function askGrid(topic) {
  const blob = await imageOf(topic);
  if (!blob) return;
  grids.get(topic)?.close();
  grids.set(topic, await createImageBitmap(blob));
}

const ORDER = ["grid", "marks", "points", "line", "way"];
function drawLayer(context, topic, layer, sheet, colour) {
  if (layer.kind === "grid") drawGrid(context, layer, sheet, grids.get(topic));
  else if (layer.kind === "marks") {
    Object.values(layer.marks).forEach((mark) => drawMark(context, mark, sheet));
  } else if (layer.kind === "points") dots(context, layer.points.map(sheet.place), colour, 2);
  else strokeLine(context, layer.points.map(sheet.place), colour, 2, layer.closed);
  if (layer.pose) drawPose(context, layer.pose, sheet, colour);
}

function showPlan(frame, layers) {
  const one = figure("plan", frame, canvas(640, 480));
  const context = one.inner.getContext("2d");
  context.clearRect(0, 0, one.inner.width, one.inner.height);
  const sheet = sheetOf(Object.values(layers), one.inner.width, one.inner.height);
  if (!sheet) return;
  const topics = Object.keys(layers);
  const sorted = [...topics].sort((a, b) =>
    ORDER.indexOf(layers[a].kind) - ORDER.indexOf(layers[b].kind));
  const colour = (topic) => COLOURS[topics.indexOf(topic) % COLOURS.length];
  for (const topic of sorted) drawLayer(context, topic, layers[topic], sheet, colour(topic));
  one.caption.replaceChildren(`frame "${frame}", from above: `);
  for (const topic of topics) make("span", one.caption, `${topic} `).style.color = colour(topic);
}

// --- values over time -----------------------------------------------------------------------------

function showValues({topic, names, values}) {
  const one = figure("values", topic, canvas(640, 200));
  const context = one.inner.getContext("2d"), {width, height} = one.inner;
  context.clearRect(0, 0, width, height);
  const last = values.at(-1), passed = last[0] - values[0][0];
  one.caption.replaceChildren(`${topic}, last ${passed.toFixed(0)} s: `);
  names.forEach((name, i) => {
    const own = values.map((value) => value[i + 1]);
    const most = Math.max(1e-9, ...own.map(Math.abs));
    const x = (t) => passed > 0 ? (t - values[0][0]) / passed * width : 0;
    strokeLine(context, values.map((value) => [x(value[0]),
      height / 2 - value[i + 1] / most * height * 0.45]), COLOURS[i], 2);
    make("span", one.caption, `${name} ${last[i + 1].toFixed(3)} `).style.color = COLOURS[i];
  });
}

// --- text -----------------------------------------------------------------------------------------

function tell(state) {
  byId("graph").textContent = state.graph || state.domain || "a graph";
  const count = state.topics.reduce((sum, topic) => sum + topic.messages, 0);
  byId("status").textContent = state.state === "waiting" ? "waiting for the graph"
    : `${state.topics.length} topics, ${count} messages seen${state.notes.map((n) => `; ${n}`).join("")}`;
  const chain = state.chain;
  byId("chain").textContent = !chain ? "" : `${chain.from} to ${chain.to}: ` + (chain.count
    ? `now ${chain.last_ms.toFixed(1)} ms, p50 ${chain.p50_ms.toFixed(1)}, p99 ` +
      `${chain.p99_ms.toFixed(1)}, at most ${chain.max_ms.toFixed(1)} ms of the last ${chain.count}`
    : "nothing came through yet");
  byId("texts").replaceChildren();
  for (const {topic, text} of state.texts) make("p", byId("texts"), `${topic}: ${text}`);
  const body = byId("topics").tBodies[0];
  body.replaceChildren();
  for (const topic of state.topics) {
    const row = make("tr", body);
    for (const text of [topic.topic, topic.type, topic.hz.toFixed(1), topic.messages, topic.bytes,
                        topic.lost]) make("td", row, text);
    make("td", row, topic.unreadable).className = topic.unreadable ? "bad" : "";
  }
}

function showContainers(containers) {
  byId("processes").hidden = containers.length === 0;
  const body = byId("containers").tBodies[0];
  body.replaceChildren();
  for (const one of containers) {
    const row = make("tr", body);
    make("td", row, one.container);
    make("td", row, one.state);
    make("td", row, one.cpu_percent === null ? "-" : `${one.cpu_percent.toFixed(1)} %`);
    make("td", row, one.peak_rss_bytes === null ? "-"
      : `${(one.peak_rss_bytes / 1e6).toFixed(0)} MB`);
  }
}

async function look() {
  try {
    const state = await (await fetch("state")).json();
    tell(state);
    showContainers(state.containers);
    for (const [frame, layers] of Object.entries(state.frames)) {
      for (const [topic, layer] of Object.entries(layers)) {
        if (layer.kind === "grid") await askGrid(topic);
      }
      showPlan(frame, layers);
    }
    state.values.forEach(showValues);
    for (const topic of state.images) await showImage(topic);
  } catch (error) {
    byId("status").textContent = "the graph has ended; this is what was seen last";
  }
  setTimeout(look, LOOK_MS);
}
look();
