import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { applicationPlace } from '#handlers/domain/applications/application-place.ts'
import { conflict } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import { accountParts } from '../../process/account-groups/current-groups.ts'
import type { ProcessRoom } from '../cron/process-rooms.ts'
import type { RegisteredAccount, RegisteredApplication } from '../registry/types.ts'
import { folderOf } from './git/releases.ts'
import type { KeeperPlan } from './keeper/keeper-messages.ts'
import { startKeeper } from './keeper-process.ts'
import type { KeptApplication, KeptFiles } from './kept-applications.ts'
import type { Runtimes } from './runtimes.ts'

const PATH = '/usr/local/bin:/usr/bin:/bin'

/** Variables of an application, secret ones too, for whatever runs as a part of it. */
export const environmentOf = (
  account: RegisteredAccount,
  { spec, secrets }: RegisteredApplication,
  runtimes: Pick<Runtimes, 'path'>,
): Record<string, string> => ({
  HOME: account.home,
  USER: account.username,
  LOGNAME: account.username,
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  ...(spec.runtime.kind === 'node' ? { NODE_ENV: 'production' } : {}),
  // Else what it says comes late, and is missing where it ends at once.
  ...(spec.runtime.kind === 'python' ? { PYTHONUNBUFFERED: '1' } : {}),
  PATH: [...runtimes.path(spec.runtime), PATH].join(':'),
  ...spec.environment,
  ...secrets,
})

/** Tells what an application was started with, without telling it. */
export const digestOf = ({ spec, secrets }: Pick<RegisteredApplication, 'spec' | 'secrets'>) =>
  createHash('sha256')
    .update(JSON.stringify([spec, secrets]))
    .digest('hex')

export interface StartDeps {
  asRoot: boolean
  files: KeptFiles
  runtimes: Pick<Runtimes, 'path'>
  rooms: () => Promise<ProcessRoom>
  log: Log
}

/** Starts what is recorded of an application; whether it answers is another question. 400 where its runtime is not installed. */
export const startApplication = async (
  { asRoot, files, runtimes, rooms, log }: StartDeps,
  account: RegisteredAccount,
  application: RegisteredApplication,
): Promise<KeptApplication> => {
  const { spec } = application
  const { username, name, start } = spec
  if (start === null) throw conflict(`${name} is a site, of which nothing runs.`)
  const generation = randomBytes(4).toString('hex')
  const plan: KeeperPlan = {
    directory: join(account.home, applicationPlace(name)),
    generation,
    folder: folderOf(account.home, spec.folder, spec.release),
    start,
    environment: environmentOf(account, application, runtimes),
    listen: spec.listen,
    healthPath: spec.healthPath,
    startLimitMs: spec.startLimitSecs * 1000,
    restart: spec.restart,
    instances: spec.instances ?? 1,
    memoryMb: spec.memoryMb,
  }
  const room = asRoot ? await rooms() : null
  const { cpuPercent } = spec
  const isHeld =
    asRoot && cpuPercent !== undefined && (await accountParts.set(account.uid, name, cpuPercent))
  if (cpuPercent !== undefined && !isHeld)
    log.warn('an application is not held to its part of the processor', { username, name })
  const started = startKeeper({
    control: files.control(generation),
    plan,
    runAs: asRoot ? { uid: account.uid, gid: account.gid, groups: 'none' } : null,
    home: account.home,
    limits: account.limits ?? 'own',
    before: room?.words ?? [],
    first: room?.first ?? [],
    part: isHeld ? name : undefined,
  })
  log.info('an application of an account was started', { username, name, pid: started.pid })
  const { pid, startTicks } = started
  const digest = digestOf(application)
  return files.add({ username, name, uid: account.uid, pid, startTicks, digest, generation })
}
