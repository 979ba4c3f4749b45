import type { AssessedFinding, AssessmentTask } from '../assessors/port.ts';
import { summarize } from '../assessors/summary.ts';
import type { Entry } from '../entries.ts';

export function assessEntry(entry: Entry, task: AssessmentTask): AssessedFinding {
  return { ...summarize(task.judged, task.judged), reason: summarize(task.judged, task.judged).reason || entry.label };
}
