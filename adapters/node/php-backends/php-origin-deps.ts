import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { ConnectionBounds } from './connection-bounds.ts'
import type { EnsurePhp } from './backends.ts'
import type { WritePhpError } from './error-output.ts'

/** What the way to PHP needs, and its limits. */
export interface PhpOriginDeps {
  /** Makes sure that PHP runs for a domain; rejects when it cannot. */
  ensure: EnsurePhp
  log: Log
  /** Takes what scripts write to their standard error; default: `log`. */
  writeError?: WritePhpError
  /** Without a byte from PHP for this long, a request fails with 504. */
  requestTimeoutMs: number
  /** Of this process. */
  maxConnectionsPerBackend: number
  /** The same for a virtual host, where other processes have connections too; default: as for all, and nobody else has any. */
  boundsOf?: (vhost: VirtualHostConfig) => ConnectionBounds
  /** Bytes; 0: no limit. Default 0. */
  maxBodyBytes?: number
  /** Up to this a request body is held in memory; default 1 MiB. */
  bodyMemoryBytes?: number
  /** Default: the system's. */
  temporaryDirectory?: string
  /** What bodies there may take in all, in this process; default 512 MiB. */
  spoolBytes?: number
  /** And for one site; default 128 MiB. */
  spoolBytesPerSite?: number
  /** How long a request waits for a connection; default 30 s. */
  queueTimeoutMs?: number
  /** How long a free connection is kept; default 5 ms, since it occupies a PHP process. */
  idleMs?: number
}
