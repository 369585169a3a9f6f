import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { quotaMount } from '../machine/filesystem-quota.ts'
import { WEB_USER } from '../process/identities.ts'
import { renderLogrotate } from './render-logrotate.ts'
import { renderUnit } from './render-unit.ts'
import { SERVICE_NAME, type ServiceFiles } from './service-files.ts'
import { writeServiceFile } from './service-manager.ts'
import type { Systemctl } from './systemctl.ts'

const UNIT = `${SERVICE_NAME}.service`

/** The texts of the files of a service for this machine. */
export const renderService = (
  config: ServerConfig,
  productDir: string,
): { unit: string; logrotate: string } => {
  const node = process.execPath
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const quotas = quotaMount(mounts, config.paths.home_base) !== null
  const reopen = [node, join(productDir, 'cli/main.ts'), '--config', config.file]
  const isRoot = process.getuid?.() === 0
  return {
    unit: renderUnit({ config, node, productDir, quotas }),
    logrotate: renderLogrotate(
      config,
      [...reopen, 'service', 'reopen-logs'],
      isRoot ? { user: WEB_USER, group: WEB_USER } : null,
    ),
  }
}

/** Writes the files; what stood there of an earlier version is replaced. `systemctl` null: nobody is told. */
export const installService = async (
  texts: { unit: string; logrotate: string },
  files: ServiceFiles,
  systemctl: Systemctl | null,
): Promise<string[]> => {
  writeServiceFile(files.unit, texts.unit)
  writeServiceFile(files.logrotate, texts.logrotate)
  await systemctl?.must('daemon-reload')
  return [files.unit, files.logrotate]
}

/** Ends the service and removes its files; data, settings and logs stay. Answers what was removed. */
export const uninstallService = async (
  files: ServiceFiles,
  systemctl: Systemctl | null,
): Promise<string[]> => {
  const there = Object.values(files).filter((file) => existsSync(file))
  if (systemctl !== null && there.includes(files.unit))
    await systemctl.must('disable', '--now', UNIT)
  for (const file of there) rmSync(file, { force: true })
  await systemctl?.must('daemon-reload')
  return there
}
