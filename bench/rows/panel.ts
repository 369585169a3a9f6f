import { join } from 'node:path'
import { fillStore } from '#test/support/fill-store.ts'
import { startInstance } from '#test/support/instance.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { businessLicense } from '#test/support/test-license.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { startProbe } from '../support/load/probe.ts'
import type { Effort, Family, Finding } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { timeMs, valueFinding } from '../support/findings/value-finding.ts'

const LISTED_ACCOUNTS = 10_000
const LIST_CALLS = { quick: 10, full: 30 }
/** What the dashboard asks for when it is opened, all at once. */
const DASHBOARD = [
  'auth/me',
  'system/stats',
  'system/info',
  'veloserve/status',
  'audit?page=1&per_page=5',
  'system/history',
]
const SLOW_SECONDS = { quick: 1, full: 5 }
const SLOW_ANSWER = 'slow but done'

/** Accounts come and go while another site serves a slow script and visitors. */
const churn = async (
  instance: Instance,
  panel: PanelClient,
  effort: Effort,
): Promise<Finding[]> => {
  const site = await Tenant.create(panel)
  const seconds = effort.quick ? SLOW_SECONDS.quick : SLOW_SECONDS.full
  await site.put('public_html/slow.php', `<?php sleep(${seconds}); echo "${SLOW_ANSWER}";`)
  await site.put('public_html/page.html', '<p>a page</p>')
  await instance.site(site.domain, '/slow.php')
  const probe = startProbe(instance.webPort, site.domain, ['/page.html'], 4)
  let running = true
  const slowFailures: string[] = []
  const slowly = async (): Promise<void> => {
    while (running) {
      const { status, text } = await instance.site(site.domain, '/slow.php')
      if (status !== 200 || text !== SLOW_ANSWER) slowFailures.push(`${status} ${text}`)
    }
  }
  const slow = slowly()
  const accounts = effort.quick ? 3 : 20
  for (let at = 0; at < accounts; at++) {
    const { id } = await Tenant.create(panel)
    await panel.data('DELETE', `/api/accounts/${id}`)
  }
  running = false
  const { failures, requests, longestMs } = await probe.stop()
  await slow
  const work = `${accounts} accounts created and deleted beside a ${seconds} s PHP request and visitors`
  const failed = failures.length + slowFailures.length
  return [
    valueFinding('churn', work, `failed of ${requests}`, 'requests', { atMost: 0 }, [failed]),
    valueFinding('churn', work, 'longest answer', 'ms', { atMost: 100 }, [longestMs]),
  ]
}

const create = async (panel: PanelClient, effort: Effort): Promise<Finding> => {
  const times: number[] = []
  for (let at = 0; at < (effort.quick ? 3 : 20); at++)
    times.push(await timeMs(() => Tenant.create(panel)))
  const work = 'create account: user, home, PHP, virtual host, reload'
  return valueFinding('panel-create', work, 'time', 'ms', { atMost: 400 }, times)
}

const list = async (instance: Instance, panel: PanelClient, effort: Effort): Promise<Finding[]> => {
  const calls = effort.quick ? LIST_CALLS.quick : LIST_CALLS.full
  fillStore(join(instance.config.paths.state_dir, 'panel/panel.db'), {
    accounts: LISTED_ACCOUNTS,
    domainsOfEach: 5,
  })
  const time = async (what: string, paths: readonly string[]): Promise<Finding> => {
    const times: number[] = []
    const ask = (): Promise<unknown> =>
      Promise.all(paths.map((path) => panel.data<unknown>('GET', `/api/${path}`)))
    for (let at = 0; at < calls; at++) times.push(await timeMs(ask))
    const work = `${LISTED_ACCOUNTS} accounts with 50 k domains: ${what}`
    return valueFinding('panel-list', work, 'time', 'ms', { atMost: 50 }, times)
  }
  return [
    await time('accounts, first page', ['accounts?page=1&per_page=50']),
    await time('accounts, page 150, sorted by name', [
      'accounts?page=150&per_page=50&sort=username&order=desc',
    ]),
    await time('accounts, searched', ['accounts?page=1&per_page=50&q=u77']),
    await time('domains, page 700, sorted by account', [
      'domains?page=700&per_page=50&sort=username',
    ]),
    await time('domains, searched', ['domains?page=1&per_page=50&q=u77']),
    await time('certificates, first page', ['ssl/certificates?page=1&per_page=50']),
    await time('dashboard', DASHBOARD),
  ]
}

const coldStart = async (instance: Instance, effort: Effort): Promise<Finding> => {
  const times: number[] = []
  for (let round = 0; round < effort.rounds; round++) {
    await instance.stop({ keep: true })
    times.push(await timeMs(() => instance.startAgain()))
  }
  const work = 'from the start of the process until panel and sites answer'
  return valueFinding(
    'cold-start',
    work,
    'time',
    's',
    { atMost: 2 },
    times.map((ms) => ms / 1000),
  )
}

/** The panel and the whole of a real instance: users, PHP masters, virtual hosts. Not pinned: it is one machine's work. */
export const panelRows: Family = {
  name: 'panel',
  rows: {
    'panel-create': 'create an account',
    churn: '20 accounts created and deleted under load',
    'cold-start': 'cold start to serving',
    'panel-list': 'lists and dashboard with 10 k accounts and 50 k domains',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      // Without one there are five accounts.
      const license = await businessLicense()
      stage.later(() => license.remove())
      const instance = await startInstance({
        settings: { databases: 'mariadb = "off"', panel: license.settings },
      })
      stage.later(() => instance.stop())
      const panel = new PanelClient(instance)
      await panel.setup()
      const findings: Finding[] = []
      if (wanted.has('panel-create')) findings.push(await create(panel, effort))
      if (wanted.has('churn')) findings.push(...(await churn(instance, panel, effort)))
      if (wanted.has('cold-start')) findings.push(await coldStart(instance, effort))
      // Last, since the host knows nothing of these accounts.
      if (wanted.has('panel-list')) findings.push(...(await list(instance, panel, effort)))
      return { findings, figures: [] }
    }),
}
