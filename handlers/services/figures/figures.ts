import { dayNumber, dayOfText, dayText, KEPT_DAYS } from '../../domain/figures/figures-day.ts'
import { invalid } from '../../errors.ts'
import type { DomainRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { siteOfRoot } from '../virtual-hosts/virtual-hosts.ts'
import { accountFigures, type AccountFigures } from './account-figures.ts'
import { createCollectFigures } from './collect-figures.ts'
import { dayView, figuresView, type FiguresDayView, type FiguresView } from './figures-view.ts'

/** Days as asked for; without them the last thirty. */
export interface FiguresSpan {
  from?: string | undefined
  to?: string | undefined
}

/** What owners are shown of their sites' visitors. */
export interface Figures {
  /** To be called about twice a minute; calls follow each other. */
  collect(): Promise<void>
  /** Of the site that a domain is a name of. 400 for days that are none, or too many. */
  of(domain: DomainRow, asked: FiguresSpan): Promise<FiguresView>
  /** Of all sites of an account together, and of each. */
  ofAccount(accountId: number, asked: FiguresSpan): Promise<AccountFigures>
  /** Those of a site day by day in parts of a month, for who wants them all; the span is judged before the first. */
  days(domain: DomainRow, asked: FiguresSpan): Promise<AsyncIterable<readonly FiguresDayView[]>>
}

const USUAL_DAYS = 30
const PART_DAYS = 31

export const createFigures = (deps: Pick<ServiceDeps, 'store' | 'host' | 'clock'>): Figures => {
  const { store, clock } = deps

  /** An alias is counted as the site that it is a name of. */
  const siteOf = async (domain: DomainRow): Promise<number> => {
    if (domain.domain_type !== 'alias') return domain.id
    const { rows } = await store.listDomains({ accountId: domain.account_id })
    return siteOfRoot(rows, domain.account_id, domain.document_root)?.id ?? domain.id
  }
  const dayOf = (field: string, text: string): number => {
    const day = dayOfText(text)
    if (day === null) throw invalid(field, `${field} must be a day such as 2026-11-24.`)
    return day
  }
  const spanOf = ({ from, to }: FiguresSpan): { from: number; to: number } => {
    const today = dayNumber(clock.nowMs())
    const last = to === undefined ? today : dayOf('to', to)
    const first = from === undefined ? last - USUAL_DAYS + 1 : dayOf('from', from)
    if (first > last) throw invalid('from', 'from must not be after to.')
    if (last - first >= KEPT_DAYS)
      throw invalid('from', `from and to must lie less than ${KEPT_DAYS} days apart.`)
    return { from: first, to: last }
  }

  return {
    collect: createCollectFigures(deps),
    async of(domain, asked) {
      const { from, to } = spanOf(asked)
      const id = await siteOf(domain)
      const span = { from: dayText(from), to: dayText(to) }
      const [rows, since] = await Promise.all([
        store.listFigures(id, span.from, span.to),
        store.firstFigures(id),
      ])
      return figuresView(span, since, rows)
    },
    async ofAccount(accountId, asked) {
      const { from, to } = spanOf(asked)
      const span = { from: dayText(from), to: dayText(to) }
      return accountFigures(span, await store.listAccountFigures(accountId, span.from, span.to))
    },
    async days(domain, asked) {
      const { from, to } = spanOf(asked)
      const id = await siteOf(domain)
      return (async function* () {
        for (let first = from; first <= to; first += PART_DAYS) {
          const last = Math.min(to, first + PART_DAYS - 1)
          const rows = await store.listFigures(id, dayText(first), dayText(last))
          if (rows.length > 0) yield rows.map((row) => dayView(row))
        }
      })()
    },
  }
}
