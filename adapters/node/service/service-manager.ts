import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { keysForRestart } from './supervisor-state.ts'
import { findSupervisor } from './find-supervisor.ts'
import { startByPidFile, stopByPidFile } from './pid-service.ts'
import { reloadService } from './reload-service.ts'
import { commandWord } from './render-unit.ts'
import { ServiceError } from './service-error.ts'
import { SERVICE_NAME, type ServiceFiles } from './service-files.ts'
import { readServiceState } from './service-state.ts'
import type { Systemctl } from './systemctl.ts'

export interface ServiceParts {
  config: ServerConfig
  productDir: string
  files: ServiceFiles
  /** Null where systemd does not run the machine. */
  systemctl: Systemctl | null
}

const UNIT = `${SERVICE_NAME}.service`
const CRON_DAEMONS = ['/usr/sbin/cron', '/usr/sbin/crond', '/usr/bin/crond']
const PLAIN_PATH = /^[\w@+=:,./-]+$/

/** Starts and ends the Berth of one configuration, through systemd where that has its unit. */
export class ServiceManager {
  private readonly parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.parts = parts
  }

  /** `systemd` where the installed unit is about this configuration; another configuration is run by its pid file. */
  get kind(): 'systemd' | 'pid-file' {
    return this.unit() === null ? 'pid-file' : 'systemd'
  }

  /** Whether there is any process of it, ready or not. */
  get isRunning(): boolean {
    const { paths, file } = this.parts.config
    return findSupervisor(paths.run_dir, file) !== null
  }

  /** Waits until everything serves. Answers false when it ran already. */
  async start(): Promise<boolean> {
    const { config, productDir } = this.parts
    if (readServiceState(config).state === 'running') return false
    if (findSupervisor(config.paths.run_dir, config.file) !== null)
      throw new ServiceError('Berth is just starting or stopping. Look with: berth service status')
    const unit = this.unit()
    if (unit === null) await startByPidFile(config, productDir)
    else await unit.must('start', UNIT)
    return true
  }

  /** Drains, then ends everything. Answers false when nothing ran. */
  async stop(): Promise<boolean> {
    const { config } = this.parts
    const ran = findSupervisor(config.paths.run_dir, config.file) !== null
    await this.unit()?.must('stop', UNIT)
    // One that was started by hand is not systemd's.
    return (await stopByPidFile(config)) || ran
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** No connection is lost. Rejects when the web server refuses the configuration. Answers also the keys that wait for a restart. */
  async reload(): Promise<{ virtual_hosts: number; restart_needed: string[] }> {
    const { config } = this.parts
    const unit = this.unit()
    const isUnits = unit !== null && (await unit.ask('is-active', '--quiet', UNIT))
    const { virtual_hosts } = await reloadService(config, async () => {
      if (isUnits) await unit.must('reload', UNIT)
      else this.signal('SIGHUP')
    })
    return { virtual_hosts, restart_needed: keysForRestart(config.paths.run_dir, config) }
  }

  /** Has all processes go on in new log files. */
  reopenLogs(): void {
    this.signal('SIGUSR1')
  }

  /** Whether it starts with the machine. */
  async isEnabled(): Promise<boolean> {
    const unit = this.unit()
    return unit === null
      ? existsSync(this.parts.files.cron) &&
          this.cronLine() === readFileSync(this.parts.files.cron, 'utf8')
      : unit.ask('is-enabled', '--quiet', UNIT)
  }

  /** Answers what is still missing for it; null: nothing. */
  async enable(): Promise<string | null> {
    const unit = this.unit()
    if (unit !== null) await unit.must('enable', UNIT)
    else if (this.parts.systemctl !== null)
      throw new ServiceError(
        'There is no unit for this configuration. Make it: berth service install',
      )
    else {
      const { cron } = this.parts.files
      if (!existsSync(dirname(cron)))
        throw new ServiceError(
          `This machine has neither systemd nor cron (no ${dirname(cron)}), so nothing starts Berth with it. Install the package cron, or have your init run: berth service start`,
        )
      writeFileSync(cron, this.cronLine(), { mode: 0o644 })
      if (!CRON_DAEMONS.some((file) => existsSync(file)))
        return 'It needs the package cron, which is not installed.'
    }
    return null
  }

  async disable(): Promise<void> {
    const unit = this.unit()
    if (unit !== null) await unit.must('disable', UNIT)
    else if (await this.isEnabled()) rmSync(this.parts.files.cron, { force: true })
  }

  private signal(signal: NodeJS.Signals): void {
    const { config } = this.parts
    const found = findSupervisor(config.paths.run_dir, config.file)
    if (found === null)
      throw new ServiceError('Berth does not run. Start it with: berth service start')
    try {
      process.kill(found.pid, signal)
    } catch (error) {
      throw new ServiceError(
        `Process ${found.pid} belongs to another user. Run the command as that user, or as root.`,
        { cause: error },
      )
    }
  }

  private unit(): Systemctl | null {
    const { systemctl, files, config } = this.parts
    if (systemctl === null || !existsSync(files.unit)) return null
    const start = /^ExecStart=.*$/m.exec(readFileSync(files.unit, 'utf8'))?.[0] ?? ''
    return start.endsWith(`--config ${commandWord(config.file)}`) ? systemctl : null
  }

  /** cron hands its lines to a shell, so nothing but plain paths may stand in one. */
  private cronLine(): string {
    const { config, productDir } = this.parts
    const words = [process.execPath, join(productDir, 'cli/main.ts'), '--config', config.file]
    const odd = words.find((word) => !PLAIN_PATH.test(word))
    if (odd !== undefined)
      throw new ServiceError(
        `${odd} cannot stand in a line of cron. Use a path without blanks and signs.`,
      )
    return `# Written by: berth service enable\n@reboot root ${words.join(' ')} service start\n`
  }
}

/** Makes the directory of an installed file, and the file. */
export const writeServiceFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, text, { mode: 0o644 })
}
