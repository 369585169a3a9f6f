import { fpmStartOptions, renderFpmConfig } from './fpm-config.ts'
import type { ModeInput, ModePlan } from './mode-plan.ts'

/**
 * The `listen` value of a configuration: FPM takes the inherited descriptor whose
 * address is literally this text. It is not the socket's path, because FPM
 * unlinks the address when it ends, which may be after a successor took over.
 */
const inheritedAddress = (socket: string): string => socket.replace(/\.sock$/, '.fpm')

/** A php-fpm master with one pool. */
export const planFpm = (input: ModeInput): ModePlan => {
  const listen = inheritedAddress(input.socket)
  return {
    text: renderFpmConfig({ ...input, listen }),
    binary: input.php.binaries.fpm ?? '',
    limits: input.limits,
    args: ['--nodaemonize', '--fpm-config', input.configFile, ...fpmStartOptions(input.ini)],
    env: { FPM_SOCKETS: `${listen}=3` },
  }
}
