import { inMegabytes, MEGABYTE } from '../../domain/text/megabyte.ts'
import { conflict, invalid } from '../../errors.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { addressOf } from './lead-to.ts'

/** Of the account's size, so that dumps and what comes meanwhile have room too. */
const ROOM = 1.5
const LEAST_ROOM_MB = 200

/** The first two numbers of a version, e.g. 10.11. */
const versionOf = (text: string): [number, number] => {
  const [, major = '0', minor = '0'] = /(\d{1,4})(?:\.(\d{1,4}))?/.exec(text.slice(0, 100)) ?? []
  return [Number(major), Number(minor)]
}
const isOlder = (one: string, other: string): boolean => {
  const [[a, b], [c, d]] = [versionOf(one), versionOf(other)]
  return a < c || (a === c && b < d)
}

/** The host of that name that an account may move to. 400 none, 409 closed, the one that it is on, or without an address for visitors, 503 away. */
export const findTarget = async (
  { store, host }: Pick<ServiceDeps, 'store' | 'host'>,
  account: AccountRow,
  name: string,
): Promise<HostRow> => {
  const found = (await store.listHosts()).find((one) => one.name === name)
  if (found === undefined)
    throw invalid('host', `There is no host "${name}". List the hosts to see which there are.`)
  if (found.role !== 'host')
    throw invalid('host', `host: ${name} only answers visitors; no accounts live there.`)
  if (found.id === account.host_id)
    throw conflict(`Account ${account.username} is on the host ${name} already.`, 'host')
  if (found.state !== 'open')
    throw conflict(`The host ${name} is closed to accounts. Open it first.`, 'host')
  if (addressOf(found) === null)
    throw conflict(
      `This panel does not know where visitors reach ${name}, so the machine that the account is on could not lead them there. Set it first: berth hosts address ${name} ADDRESS`,
      'host',
    )
  await Promise.all([host.assertPresent(found.id), host.assertPresent(account.host_id)])
  return found
}

/** 409 with everything that the target lacks for the account. */
export const assertMovable = async (
  { store }: Pick<ServiceDeps, 'store'>,
  account: AccountRow,
  [source, target]: readonly [HostPorts, HostPorts],
  name: string,
): Promise<void> => {
  const lacks: string[] = []
  const [there, here] = await Promise.all([target.php.versions(), source.php.versions()])
  const { rows: domains } = await store.listDomains({ accountId: account.id })
  const usual = here.find((one) => one.default)?.version ?? null
  const wanted = new Set([
    account.php_version ?? usual,
    ...domains.map(({ php_version }) => php_version),
  ])
  for (const version of wanted)
    if (version !== null && !there.some((one) => one.version === version))
      lacks.push(`PHP ${version}`)
  const used = new Set((await store.listDatabases(account.id)).map(({ engine }) => engine))
  if (used.size > 0) {
    const [own, others] = await Promise.all([
      source.databases.engines(),
      target.databases.engines(),
    ])
    for (const engine of used) {
      const before = own.find((one) => one.engine === engine)
      const after = others.find((one) => one.engine === engine)
      if (after === undefined || (before && isOlder(after.version, before.version)))
        lacks.push(`${engine} ${before?.version ?? ''} or newer`)
    }
  }
  const [info, usedMb] = await Promise.all([
    target.system.info(),
    source.users.diskUsedMb({ username: account.username }),
  ])
  const neededMb = Math.ceil(Math.max(usedMb * ROOM, usedMb + LEAST_ROOM_MB))
  if (info.disk_total_mb - info.disk_used_mb < neededMb)
    lacks.push(`${inMegabytes(neededMb * MEGABYTE, Math.ceil)} of free disk`)
  if (lacks.length > 0)
    throw conflict(
      `The host ${name} lacks what ${account.username} needs: ${lacks.join(', ')}.`,
      'host',
    )
}
