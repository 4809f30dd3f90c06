// SPDX-License-Identifier: Apache-2.0
// Layouters of other programs on the same boxes and edges: node peer-layout.js NPM_FOLDER dagre|elk < GRAPH. Reads what
// `bench-layout export` writes and prints the milliseconds of processor time that the layout alone takes.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

function read() {
  const boxes = [];
  const edges = [];
  for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
    const words = line.split(' ');
    if (words[0] === 'n')
      boxes.push([Number(words[1]), Number(words[2])]);
    else if (words[0] === 'e')
      edges.push([Number(words[1]), Number(words[2])]);
  }
  return { boxes, edges };
}

function dagre(folder, { boxes, edges }) {
  // The bundle for browsers: the only one that brings its graphs along.
  vm.runInThisContext(fs.readFileSync(path.join(folder, '@dagrejs', 'dagre', 'dist', 'dagre.js'), 'utf8'));
  const library = globalThis.dagre.default ?? globalThis.dagre;
  const graph = new library.graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: 24, ranksep: 22 });
  graph.setDefaultEdgeLabel(() => ({}));
  boxes.forEach(([width, height], i) => graph.setNode(String(i), { width, height }));
  edges.forEach(([from, to], i) => graph.setEdge(String(from), String(to), {}, String(i)));
  return () => { library.layout(graph); };
}

function elk(folder, { boxes, edges }) {
  const Library = require(path.join(folder, 'elkjs', 'lib', 'elk.bundled.js'));
  const layouter = new Library();
  const graph = {
    id: 'root',
    layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.edgeRouting': 'ORTHOGONAL' },
    children: boxes.map(([width, height], i) => ({ id: `b${i}`, width, height })),
    edges: edges.map(([from, to], i) => ({ id: `e${i}`, sources: [`b${from}`], targets: [`b${to}`] })),
  };
  return () => layouter.layout(graph);
}

async function main() {
  const graph = read();
  const run = { dagre, elk }[process.argv[3]](path.resolve(process.argv[2]), graph);
  const begin = process.cpuUsage();
  await run();
  const used = process.cpuUsage(begin);
  console.log((used.user + used.system) / 1000);
}

main();
