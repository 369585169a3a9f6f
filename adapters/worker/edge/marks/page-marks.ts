import { DurableObject } from 'cloudflare:workers'
import type { PurgeScope } from '#edge-cache/index.ts'
import {
  createPurgeAuthority,
  type FrontReport,
  type FrontSums,
  type News,
} from './purge-authority.ts'
import { createSqlMarkLog } from './sql-mark-log.ts'

/** What isolates may ask of the Durable Object. */
export interface MarksPort {
  glance(report: FrontReport): Promise<News>
  purge(report: FrontReport, scopes: readonly PurgeScope[]): Promise<News>
  learn(report: FrontReport, site: string, names: readonly string[]): Promise<News>
  sums(): Promise<FrontSums>
}

/** The Durable Object that keeps the order of purges; there is one of it. */
export class PageMarks extends DurableObject implements MarksPort {
  readonly #authority

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env)
    this.#authority = createPurgeAuthority({
      log: createSqlMarkLog(state.storage),
      nowMs: () => Date.now(),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    })
  }

  glance(report: FrontReport): Promise<News> {
    return Promise.resolve(this.#authority.glance(report))
  }
  purge(report: FrontReport, scopes: readonly PurgeScope[]): Promise<News> {
    return this.#authority.purge(report, scopes)
  }
  learn(report: FrontReport, site: string, names: readonly string[]): Promise<News> {
    return this.#authority.learn(report, site, names)
  }
  sums(): Promise<FrontSums> {
    return Promise.resolve(this.#authority.sums())
  }
}
