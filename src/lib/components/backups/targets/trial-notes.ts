import type { TargetTrial } from '$lib/api/types'
import { texts } from '$lib/texts'

/** What a target does not allow, in sentences. */
export const trialNotes = ({ can_list, can_remove }: TargetTrial): string[] => [
  ...(can_list ? [] : [texts.targets.noList]),
  ...(can_remove ? [] : [texts.targets.noRemove]),
]
