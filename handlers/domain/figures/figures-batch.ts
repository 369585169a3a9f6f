import { z } from 'zod'
import type { FiguresBatch } from '../../ports/host/figures.ts'
import { dayOfText } from './figures-day.ts'
import { NAMES } from './site-day.ts'
import { isSketchText } from './visitor-sketch.ts'

const MAX_PARTS = 1000
const count = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER)
const name = z.string().max(200)

const names = (most: number) =>
  z.array(z.union([z.tuple([name, count]), z.tuple([name, count, count, count])])).max(most)

/** What was counted of a site, as it comes from another process or out of a store. */
export const dayFiguresSchema = z.object({
  requests: count,
  bytes: count,
  hits: count,
  misses: count,
  bot_requests: count,
  bot_bytes: count,
  statuses: z.record(z.string().regex(/^\d(?:\d\d|xx)$/), count),
  visitors: z.string().max(5500).refine(isSketchText),
  pages: names(NAMES.pages),
  missing: names(NAMES.missing),
  referrers: names(NAMES.referrers),
  bots: names(NAMES.bots),
  slow: names(NAMES.slow),
})

/** See `FiguresPart`. */
export const figuresPartSchema = z.object({
  site: z.string().max(253),
  day: z.string().refine((text) => dayOfText(text) !== null),
  figures: dayFiguresSchema,
})

/** A batch as the web server answers it. */
export const figuresBatchSchema: z.ZodType<FiguresBatch> = z.object({
  batch: z.string().max(64),
  parts: z.array(figuresPartSchema).max(MAX_PARTS),
  more: z.boolean(),
})
