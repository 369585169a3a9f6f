import { eachHost } from '../on-hosts/each-host.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import { dayNumber, dayText, KEPT_DAYS } from '../../domain/figures/figures-day.ts'
import type { DayFigures, FiguresPart } from '../../ports/host/figures.ts'
import type { FiguresRow } from '../../ports/store/figures-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { closedRow, rowWith } from './figures-rows.ts'

/** Batches of one turn; what is left comes with the next. */
const MAX_BATCHES = 200
/** Days that are closed at once. */
const CLOSED_AT_ONCE = 100

/** Takes what the web server has counted of visitors, and closes days that are over. */
export const createCollectFigures = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock'>,
): (() => Promise<void>) => {
  const { store, clock } = deps
  let turn: Promise<void> = Promise.resolve()
  let tidied = -1

  const rowsOf = async (hostId: number, parts: readonly FiguresPart[]): Promise<FiguresRow[]> => {
    const days = new Map<string, { site: string; day: string; figures: DayFigures[] }>()
    for (const { site, day, figures } of parts) {
      const key = `${day} ${site}`
      const known = days.get(key)
      if (known === undefined) days.set(key, { site, day, figures: [figures] })
      else known.figures.push(figures)
    }
    const oldest = dayText(dayNumber(clock.nowMs()) - KEPT_DAYS)
    const rows: FiguresRow[] = []
    for (const { site, day, figures } of days.values()) {
      const domain = day < oldest ? null : await store.domainByName(site)
      // A host tells of its own sites alone.
      if (domain === null || (await store.hostOfDomain(site)) !== hostId) continue
      rows.push(rowWith(domain.id, day, await store.figuresOfDay(domain.id, day), figures))
    }
    return rows
  }

  const takeFrom = async (hostId: number, { webServer }: HostPorts): Promise<void> => {
    for (let count = 0; count < MAX_BATCHES; count++) {
      const stored = await store.figuresBatch(hostId)
      const taken = await webServer.takeFigures({ acknowledged: stored })
      if (taken === null) return
      if (taken.batch !== stored && taken.parts.length > 0)
        await store.putFigures(taken.batch, await rowsOf(hostId, taken.parts), hostId)
      if (!taken.more) return
    }
  }
  const take = (): Promise<void> => eachHost(deps, 'the figures of a host were not taken', takeFrom)

  /** Yesterday stays open for a day: a web server that was not asked may still tell of it. */
  const tidy = async (today: number): Promise<void> => {
    const before = dayText(today - 1)
    for (;;) {
      const rows = await store.openFigures(before, CLOSED_AT_ONCE)
      if (rows.length === 0) break
      await store.putFigures(null, rows.map(closedRow))
    }
    await store.deleteFigures(dayText(today - KEPT_DAYS))
    tidied = today
  }

  const collect = async (): Promise<void> => {
    await take()
    const today = dayNumber(clock.nowMs())
    if (today !== tidied) await tidy(today)
  }

  return () => {
    turn = turn.catch(() => undefined).then(collect)
    return turn
  }
}
