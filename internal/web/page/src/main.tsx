import { render } from "preact";
import "./style.css";
import { listen } from "./router";
import { Shell } from "./shell/shell";
import { showAll } from "./visible";

showAll();
listen();
render(<Shell />, document.getElementById("page")!);
