import type { ComponentType } from "preact";
import type { Place } from "./router";
import { Empty } from "./parts/load";
import { CompactionsView } from "./compactions/compactions";
import { ConversationsView } from "./conversations/conversations";
import { JobsView } from "./jobs/jobs";
import { AllLabView, LabView } from "./lab/lab";
import { MoneyView } from "./money/money";
import { SearchView } from "./search/search";
import { TimelineView } from "./timeline/timeline";
import { ModelView } from "./view/view";

function Nowhere() {
  return (
    <Empty title="There is no such page">
      <p>
        <a href="/">All conversations</a>
      </p>
    </Empty>
  );
}

/** views are what is shown at each place; each gets the id of its conversation. */
export const views: Record<Place["view"], ComponentType<{ id: string }>> = {
  conversations: ConversationsView,
  timeline: TimelineView,
  view: ModelView,
  compactions: CompactionsView,
  lab: LabView,
  money: MoneyView,
  alllab: AllLabView,
  jobs: JobsView,
  search: SearchView,
  nowhere: Nowhere,
};
