import { parseHostPort } from '../../text/host-port.ts'

const SCHEME = 'tcp://'
const HELP = 'Write "/run/php/php8.2-fpm.sock" or "tcp://127.0.0.1:9000".'

/** Host and port of a PHP that listens at a port: a name, or an address without brackets. */
export interface PhpPort {
  host: string
  port: number
}

/** Whether `socket` of `[virtualhost.php]` is meant as a port and not as a path. */
export const isTcpSocket = (text: string): boolean => text.startsWith(SCHEME)

/** Reads `tcp://host:port`; null: it is none. */
export const readTcpSocket = (text: string): PhpPort | null =>
  isTcpSocket(text) ? parseHostPort(text.slice(SCHEME.length), null) : null

/** What is wrong with a value of `socket`; null: nothing. */
export const phpSocketProblem = (text: string): string | null =>
  isTcpSocket(text) && readTcpSocket(text) === null ? `names no port of PHP. ${HELP}` : null
