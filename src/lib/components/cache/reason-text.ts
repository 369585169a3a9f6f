import { texts } from '$lib/texts'

/** Why something was not answered from the cache, in words. */
export const reasonText = (reason: string): string => texts.cache.insight.reasons[reason] ?? reason
