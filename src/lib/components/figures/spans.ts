import { dayNumber, dayText } from '#handlers/domain/figures/figures-day.ts'

/** How many days may be shown, the last one today. */
export const SPANS = [7, 30, 90, 365] as const

export type Span = (typeof SPANS)[number]

/** What an address asks for; 30 where it asks for none of them. */
export const spanOf = (asked: string | null): Span =>
  SPANS.find((span) => String(span) === asked) ?? 30

/** First and last day of a span, `2026-11-24`, UTC. */
export const daysOf = (span: Span, nowMs: number): { from: string; to: string } => {
  const today = dayNumber(nowMs)
  return { from: dayText(today - span + 1), to: dayText(today) }
}
