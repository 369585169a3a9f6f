import { appendFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogFiles } from '#adapters/node/agent/logs/log-files.ts'
import { createLogsPort } from '#adapters/node/agent/logs/logs-port.ts'

/** The real port over a log directory of its own. */
export const createLogsFixture = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-logs-'))
  const web = join(directory, 'web')
  await mkdir(web)
  const access = join(web, 'access.log')
  return {
    directory,
    access,
    logs: createLogsPort(createLogFiles(directory, null)),
    append: (text: string) => appendFile(access, text),
    rotate: () => rename(access, `${access}.1`),
    dispose: () => rm(directory, { recursive: true, force: true }),
  }
}
