import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { fillStore } from '#test/support/fill-store.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { timeMs } from '../support/findings/value-finding.ts'
import { cpuSeconds, proportionalBytes } from '../support/process-tree.ts'
import { onStage } from '../support/stage.ts'
import { MB, middle, type Input, type Part } from './input.ts'
import type { Invitation, Orders } from './simulated-machines.ts'

const PROGRAM = join(import.meta.dirname, 'simulated-machines.ts')
const LISTS = 15
/** Each machine is asked every ten seconds; who did not answer for thirty is away. */
const AWAY_SECS = 30
const SETTLE_MS = 15_000

interface HostView {
  id: number
  local: boolean
  state: string
  seen_at: string | null
}

/** Spreads the accounts that were written straight into the store over the machines. */
const spread = (file: string, ids: readonly number[]): void => {
  const db = new Database(file, { timeout: 5000 })
  try {
    const move = db.prepare('update accounts set host_id = ? where id % ? = ?')
    db.transaction(() => ids.forEach((id, at) => move.run(id, ids.length, at)))()
  } finally {
    db.close()
  }
}

/** What a hundred machines and ten thousand accounts cost one panel that nobody uses meanwhile. */
export const machines: Part = {
  name: 'machines',
  measure: ({ quick }) =>
    onStage(async (stage) => {
      const [count, accounts, seconds] = quick ? [5, 100, 20] : [100, 10_000, 120]
      const instance = await startInstance({
        settings: { server: 'workers = 1', databases: 'mariadb = "off"' },
      })
      stage.later(() => instance.stop())
      const panel = new PanelClient(instance)
      await panel.setup()
      const { panel: pid } = await instance.pids()
      const used = async (ms: number): Promise<number> => {
        const before = cpuSeconds([pid])
        await delay(ms)
        return ((cpuSeconds([pid]) - before) * 1000) / (ms / 1000)
      }
      const aloneMs = await used(seconds * 250)
      const aloneMb = proportionalBytes([pid]) / MB

      const invitations: Invitation[] = []
      for (const [at, port] of (await freePorts(count)).entries()) {
        const { token } = await panel.data<{ token: string }>('POST', '/api/hosts', {
          ...{ name: `m${at}`, address: `127.0.0.1:${port}` },
        })
        invitations.push({ port, token })
      }
      const child = fork(PROGRAM, { stdio: 'inherit' })
      stage.later(async () => {
        if (child.exitCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'exit')
      })
      child.send({ directory: stage.path('machines'), invitations } satisfies Orders)
      const [said] = (await Promise.race([
        once(child, 'message'),
        once(child, 'exit'),
      ])) as unknown[]
      if (said !== 'ready') throw new Error('The simulated machines did not start.')
      for (const at of invitations.keys()) await panel.data('POST', `/api/hosts/m${at}/open`)
      const file = join(instance.config.paths.state_dir, 'panel', 'panel.db')
      fillStore(file, { accounts, domainsOfEach: 1 })
      const hosts = await panel.data<HostView[]>('GET', '/api/hosts')
      spread(
        file,
        hosts.filter(({ local }) => !local).map(({ id }) => id),
      )
      await delay(SETTLE_MS)

      const busyMs = await used(seconds * 1000)
      const busyMb = proportionalBytes([pid]) / MB
      const times = async (path: string): Promise<number> => {
        const all: number[] = []
        for (let at = 0; at < LISTS; at++)
          all.push(await timeMs(() => panel.data('GET', path.replace('PAGE', String(at + 1)))))
        return middle(all)
      }
      const listMs = await times('/api/accounts?per_page=50&page=PAGE')
      const hostsMs = await times('/api/hosts')
      const now = await panel.data<HostView[]>('GET', '/api/hosts')
      const late = now.filter(
        ({ local, state, seen_at }) =>
          !local &&
          (state !== 'open' ||
            seen_at === null ||
            Date.now() - Date.parse(`${seen_at.replace(' ', 'T')}Z`) > AWAY_SECS * 1000),
      )
      if (late.length > 0) throw new Error(`${late.length} of ${count} machines count as away.`)
      const sign = `${count}`
      const on = `${count} machines and ${accounts} accounts`
      return [
        {
          ...{ symbol: 'tm(0)', what: 'a panel that nobody uses, alone' },
          ...{ value: aloneMs, unit: 'ms of a processor in a second' },
        },
        {
          ...{ symbol: `tm(${sign})`, what: `the same with ${on}, each machine asked every 10 s` },
          ...{ value: busyMs, unit: 'ms of a processor in a second' },
        },
        {
          ...{ symbol: `Mp(${sign})`, what: `memory of the panel with ${on}, beyond alone` },
          ...{ value: busyMb - aloneMb, unit: 'MB' },
        },
        {
          ...{ symbol: `l(${sign})`, what: `a page of 50 accounts, asked of the API, ${on}` },
          ...{ value: listMs, unit: 'ms' },
        },
        {
          ...{ symbol: `lh(${sign})`, what: `the list of ${count} machines, asked of the API` },
          ...{ value: hostsMs, unit: 'ms' },
        },
      ] satisfies Input[]
    }),
}
