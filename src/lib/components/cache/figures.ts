import type { SiteCacheView } from '$lib/api/types'
import { decimal } from '$lib/format/decimal'
import { texts } from '$lib/texts'

/** A count as one reads it, e.g. `12,400`. */
export const grouped = (value: number): string => new Intl.NumberFormat(texts.locale).format(value)

/** e.g. `94.1 %`; a dash without requests. */
export const rateText = (rate: number | null): string =>
  rate === null ? '–' : texts.charts.percent(decimal(rate, rate === 100 ? 0 : 1))

/** Bytes of both layers. */
export const sizeOfSite = ({ memory_bytes, disk_bytes }: SiteCacheView): number =>
  memory_bytes + (disk_bytes ?? 0)
