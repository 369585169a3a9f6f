import { parseArgs } from 'node:util'

/** What install.sh was asked for; it has checked its command line already. */
export interface InstallOptions {
  /** Directory of the version to install, its packages and its build complete. */
  from: string
  configFile: string
  /** Whether the service is started (and its health awaited). */
  start: boolean
  /** Whether the kernel is asked to keep to disk quotas. */
  quotas: boolean
  /** Time that a version has until it must serve. */
  healthTimeoutMs: number
  uninstall: boolean
  purge: boolean
  /** With `purge`: whether the backups go too. */
  andBackups: boolean
}

/** One run of the installer: what it is to do, and how it speaks. */
export interface InstallRun {
  options: InstallOptions
  print: (text: string) => void
}

/** Throws with what is wrong. */
export const parseInstallOptions = (args: string[]): InstallOptions => {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string' },
      config: { type: 'string' },
      'health-secs': { type: 'string', default: '90' },
      'no-quotas': { type: 'boolean', default: false },
      'no-start': { type: 'boolean', default: false },
      uninstall: { type: 'boolean', default: false },
      purge: { type: 'boolean', default: false },
      'and-backups': { type: 'boolean', default: false },
    },
  })
  const healthSecs = Number(values['health-secs'])
  if (values.from === undefined || values.config === undefined)
    throw new Error('--from and --config are needed. Run install.sh instead.')
  if (!Number.isInteger(healthSecs) || healthSecs < 1)
    throw new Error('--health-secs needs a whole number of seconds.')
  return {
    from: values.from,
    configFile: values.config,
    quotas: !values['no-quotas'],
    start: !values['no-start'],
    healthTimeoutMs: healthSecs * 1000,
    uninstall: values.uninstall,
    purge: values.purge,
    andBackups: values['and-backups'],
  }
}
