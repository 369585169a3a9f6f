/** Whether the client asks for `respond-async` (RFC 7240, 4.1); the first mention of a preference counts. */
export const prefersAsync = (request: Request): boolean =>
  (request.headers.get('prefer') ?? '')
    .split(',')
    .some((preference) => /^\s*respond-async\s*(;|$)/i.test(preference))
