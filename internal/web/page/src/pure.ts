// What depends on nothing but its arguments, for the tests: internal/web/browser runs
// this in a browser, from testdata/pure.js.
export * as format from "./format";
export { pathOf } from "./call";
export * as jobs from "./jobs/model";
export { entryIn, placeOf } from "./router";
export { Folds, indexOf, linesOf, Log } from "./timeline/outline";
export { visible } from "./visible";
