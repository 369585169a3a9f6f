/** Hears how far a piece of work is; `percent` 0-100. */
export type Report = (step: string, detail: string, percent: number) => void
