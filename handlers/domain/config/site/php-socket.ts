const HELP = 'Write "/run/php/php8.2-fpm.sock" or "tcp://127.0.0.1:9000".'

/** Host and port of a PHP that listens at a port: a name, or an address without brackets. */
export interface PhpPort {
  host: string
  port: number
}

/** Whether `socket` of `[virtualhost.php]` is meant as a port and not as a path. */
export const isTcpSocket = (text: string): boolean => text.startsWith('tcp://')

/** Reads `tcp://host:port`; null: it is none. */
export const readTcpSocket = (text: string): PhpPort | null => {
  const found = /^tcp:\/\/(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253}):(\d{1,5})$/i.exec(text)
  const port = Number(found?.[2])
  if (found === null || port < 1 || port > 65_535) return null
  return { host: (found[1] ?? '').replace(/^\[|\]$/g, ''), port }
}

/** What is wrong with a value of `socket`; null: nothing. */
export const phpSocketProblem = (text: string): string | null =>
  isTcpSocket(text) && readTcpSocket(text) === null ? `names no port of PHP. ${HELP}` : null
