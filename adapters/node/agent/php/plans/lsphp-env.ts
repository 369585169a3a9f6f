/** How lsphp runs its processes; its manual is PHP's sapi/litespeed. It hides these from scripts. */
export const LSPHP_ENV: Readonly<Record<string, string>> = {
  // Processes stay for the next request, as many as there may be, but not for ever.
  LSAPI_AVOID_FORK: '1',
  LSAPI_MAX_IDLE: '30',
  LSAPI_MAX_REQS: '2000',
  // With one or more busy, and the asking process is one, a connection ends with its request. What a
  // script left of a body unread would else be taken for the next request.
  LSAPI_MAX_BUSY_WORKER: '1',
  // It outlives the process that started it, as FPM does.
  LSAPI_PPID_NO_CHECK: '1',
  LSPHP_ENABLE_USER_INI: 'on',
}
