import { botName } from '#handlers/domain/figures/bot-name.ts'
import { readDetails } from '#handlers/domain/figures/day-details.ts'
import { dayOfText } from '#handlers/domain/figures/figures-day.ts'
import { isAsset, pageName } from '#handlers/domain/figures/page-name.ts'
import { referrerHost } from '#handlers/domain/figures/referrer-host.ts'
import { isSketchText } from '#handlers/domain/figures/visitor-sketch.ts'
import { opened, parsersOf } from './parser-list.ts'

/** `max_header_size` as it is unless somebody says otherwise. */
const HEAD_BYTES = 16 * 1024

/** What figures look at in a request, and what comes back out of the store. */
export const figuresParsers = parsersOf('visitor', HEAD_BYTES, {
  'handlers/domain/figures/bot-name.ts botName': opened(['Mozilla/5.0 (', 'bot'], botName),
  'handlers/domain/figures/day-details.ts readDetails': opened(['{"pages":[['], readDetails),
  'handlers/domain/figures/figures-day.ts dayOfText': opened(['2026-11-'], dayOfText),
  'handlers/domain/figures/page-name.ts pageName': opened(
    ['/', '/a1a1a1a1a1a1a1a1a1a1', '/123e4567-e89b-'],
    pageName,
  ),
  'handlers/domain/figures/page-name.ts isAsset': opened(['/a.'], isAsset),
  'handlers/domain/figures/referrer-host.ts referrerHost': opened(
    ['https://', 'https://www.a'],
    referrerHost,
  ),
  'handlers/domain/figures/visitor-sketch.ts isSketchText': opened(['f', 'r'], isSketchText),
})
