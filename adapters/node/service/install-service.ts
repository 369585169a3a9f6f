import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { asksForQuotas, FSTAB } from '../machine/fstab.ts'
import { mountOf, readMounts } from '../machine/mounts.ts'
import { quotaStateNow } from '../machine/quota-state.ts'
import { groupHierarchies } from '../process/account-groups/group-mounts.ts'
import { WEB_USER } from '../process/identities.ts'
import { renderLogrotate } from './render-logrotate.ts'
import { renderUnit } from './render-unit.ts'
import { SERVICE_NAME, type ServiceFiles } from './service-files.ts'
import { writeServiceFile } from './service-manager.ts'
import type { Systemctl } from './systemctl.ts'

const UNIT = `${SERVICE_NAME}.service`

/** Whether the kernel keeps quotas where homes lie, also where limits, or all of it, are switched on only later. */
const willHaveQuotas = (homeBase: string): boolean => {
  if (quotaStateNow(homeBase) !== 'off') return true
  const home = existsSync(homeBase) ? realpathSync(homeBase) : homeBase
  const mount = mountOf(home, readMounts())
  return mount !== null && existsSync(FSTAB)
    ? asksForQuotas(readFileSync(FSTAB, 'utf8'), mount.mount)
    : false
}

/** The texts of the files of a service for this machine. */
export const renderService = (
  config: ServerConfig,
  productDir: string,
): { unit: string; logrotate: string } => {
  const node = process.execPath
  const quotas = willHaveQuotas(config.paths.home_base)
  const mounts = groupHierarchies(
    readFileSync('/proc/self/mountinfo', 'utf8'),
    readFileSync('/proc/self/cgroup', 'utf8'),
  )
  const slices = mounts.some(({ version, mount }) => version === 2 && mount === '/sys/fs/cgroup')
  const reopen = [node, join(productDir, 'cli/main.ts'), '--config', config.file]
  const isRoot = process.getuid?.() === 0
  return {
    unit: renderUnit({ config, node, productDir, quotas, slices }),
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
