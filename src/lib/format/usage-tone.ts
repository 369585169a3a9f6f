const ALMOST_PERCENT = 85
const FULL_PERCENT = 95

/** How a share of a quota is shown: as ever, as one to look at, or as one that is about to be used up. */
export const usageTone = (percent: number): 'accent' | 'warn' | 'bad' =>
  percent < ALMOST_PERCENT ? 'accent' : percent < FULL_PERCENT ? 'warn' : 'bad'
