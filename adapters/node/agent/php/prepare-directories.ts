import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs'

/** Directories of the PHP masters below `run_dir`. */
export interface PhpDirectories {
  /** Sockets: only root and the web server enter, so no tenant can put one in another's place. */
  sockets: string
  /** Configurations: anyone may pass, each file is readable by its account alone. */
  config: string
  /** Logs of masters: root's, so that an account cannot put a pipe or a link in a file's place. */
  logs: string
}

/** Creates both with the right owner and mode; `webGid` is null in rootless mode. */
export const preparePhpDirectories = (
  runDir: string,
  webGid: number | null,
  logs = `${runDir}/php-log`,
): PhpDirectories => {
  const sockets = `${runDir}/php`
  const config = `${runDir}/php-conf`
  mkdirSync(sockets, { recursive: true })
  mkdirSync(config, { recursive: true })
  mkdirSync(logs, { recursive: true })
  if (webGid !== null) chownSync(sockets, 0, webGid)
  chmodSync(sockets, 0o750)
  chmodSync(config, 0o711)
  chmodSync(logs, 0o711)
  return { sockets, config, logs }
}

/** Removes what masters of the account were started with, so that nothing of it stays behind. */
export const removeConfigs = (directory: string, username: string): void => {
  for (const name of readdirSync(directory))
    if (name.startsWith(`${username}-`)) rmSync(`${directory}/${name}`, { force: true })
}
