import { join } from 'node:path'

/** Name of the unit, and of the files that an installed service consists of. */
export const SERVICE_NAME = 'berth'

/** Files of the installed service, absolute. */
export interface ServiceFiles {
  unit: string
  logrotate: string
  /** Starts it with the machine where there is no systemd. */
  cron: string
}

/** `destDir` stands before every path, for building images; default: this machine. */
export const serviceFiles = (destDir = '/'): ServiceFiles => ({
  unit: join(destDir, 'etc/systemd/system', `${SERVICE_NAME}.service`),
  logrotate: join(destDir, 'etc/logrotate.d', SERVICE_NAME),
  cron: join(destDir, 'etc/cron.d', SERVICE_NAME),
})
