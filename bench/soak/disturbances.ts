import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTS, TAGS, type SoakPage, type SoakSite } from './soak-site.ts'
import type { Tally } from './tally.ts'

const pick = <T>(list: readonly T[]): T => {
  const one = list[Math.floor(Math.random() * list.length)]
  if (one === undefined) throw new Error('nothing to pick from')
  return one
}

/** Changes pages, purges them, and from the acknowledgement on nothing older may be seen. */
const changeAndPurge = async (site: SoakSite, tally: Tally): Promise<void> => {
  const { pages, web } = site
  const dice = Math.random()
  const purge = (): { query: string; hit: SoakPage[] } => {
    if (dice < 0.5) {
      const page = pick(pages)
      return { query: `?domain=${page.host}&path=${page.path}`, hit: [page] }
    }
    if (dice < 0.6) {
      const { host } = pick(pages)
      const start = `/page-${1 + Math.floor(Math.random() * 9)}`
      const hit = pages.filter((page) => page.host === host && page.path.startsWith(start))
      return { query: `?domain=${host}&path=${start}*`, hit }
    }
    if (dice < 0.75) {
      const tag = `tag-${Math.floor(Math.random() * TAGS)}`
      return { query: `?tag=${tag}`, hit: pages.filter((page) => page.tag === tag) }
    }
    if (dice < 0.95) {
      const host = pick(HOSTS)
      return { query: `?domain=${host}`, hit: pages.filter((page) => page.host === host) }
    }
    return { query: '', hit: pages }
  }
  const { query, hit } = purge()
  site.change(hit)
  const shown = hit.map(({ version }) => version)
  // A soft purge lets the old page be shown while the new one is made.
  const soft = query !== '' && Math.random() < 0.15
  const address = `/api/v1/cache/purge${query}${soft ? '&soft=1' : ''}`
  const answer = await web.management('POST', address)
  if (answer.status !== 200) {
    tally.fault('purge_refused', `${query}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return
  }
  tally.count(soft ? 'soft_purges' : 'purges')
  if (soft) return
  hit.forEach((page, index) => {
    page.floor = Math.max(page.floor, shown[index] ?? 0)
  })
}

const warm = async (site: SoakSite, tally: Tally): Promise<void> => {
  const { host } = pick(site.pages)
  const urls = Array.from({ length: 10 }, () => `url=${pick(site.pages).path}`).join('&')
  const { status } = await site.web.management('POST', `/api/v1/cache/warm?domain=${host}&${urls}`)
  if (status === 200) tally.count('warm_calls')
  else tally.fault('warm_refused', String(status))
}

const reload = async (site: SoakSite, tally: Tally): Promise<void> => {
  const { web } = site
  const dice = Math.random()
  if (dice < 0.4) process.kill(web.pid, 'SIGHUP')
  else {
    if (dice < 0.7) web.writeHosts('guest', site.guestHost('guest.test'))
    else {
      // A changed setting replaces all workers.
      const file = join(web.directory, 'berth.toml')
      const seconds = 20 + Math.floor(Math.random() * 40)
      const text = readFileSync(file, 'utf8').replace(/^keepalive_timeout = .*\n/m, '')
      writeFileSync(file, text.replace('[server]\n', `[server]\nkeepalive_timeout = ${seconds}\n`))
    }
    const answer = await web.control('POST', '/reload')
    if (answer.status !== 200) tally.fault('reload_refused', JSON.stringify(answer.body))
  }
  tally.count('reloads')
}

const killWorker = (site: SoakSite, tally: Tally): void => {
  const workers = site.web.workers()
  // One always stays, as with a crash; all at once would be an outage.
  if (workers.length < 2) return
  tally.lastKillMs = performance.now()
  process.kill(pick(workers), 'SIGKILL')
  tally.count('killed_workers')
}

const every = async (
  meanMs: number,
  running: () => boolean,
  work: () => Promise<void> | void,
): Promise<void> => {
  for (let nextMs = performance.now() + meanMs; running();) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (performance.now() < nextMs) continue
    nextMs = performance.now() + meanMs * (0.5 + Math.random())
    if (running()) await work()
  }
}

/** Everything that happens to the server while it is visited. */
export const disturb = async (
  site: SoakSite,
  tally: Tally,
  running: () => boolean,
): Promise<void> => {
  await Promise.all([
    every(300, running, () => changeAndPurge(site, tally)),
    every(1_500, running, () => warm(site, tally)),
    every(7_000, running, () => reload(site, tally)),
    every(11_000, running, () => killWorker(site, tally)),
  ])
}
