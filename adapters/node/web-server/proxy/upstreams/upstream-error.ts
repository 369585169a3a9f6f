import { OriginError, type OriginStatus } from '#handlers/sites/origins/php-origin.ts'

/**
 * How an upstream failed: no connection came to stand, so that it knows nothing of the request; it
 * closed the connection without an answer; it sent none in time.
 */
export type UpstreamFault = 'unreachable' | 'broken' | 'silent'

/** Whether a system error's code tells of our own want of descriptors. */
export const isOurs = (code: string): boolean => code === 'EMFILE' || code === 'ENFILE'

/** No answer could be had, and the upstream is why. */
export class UpstreamError extends OriginError {
  readonly fault: UpstreamFault
  constructor(fault: UpstreamFault, status: OriginStatus, message: string, cause?: unknown) {
    super(status, message, cause)
    this.fault = fault
  }
}
