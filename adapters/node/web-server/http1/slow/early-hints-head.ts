/** A 103 Early Hints answer (RFC 8297) that goes ahead of the real one. */
export const earlyHintsHead = (links: readonly string[]): string =>
  `HTTP/1.1 103 Early Hints\r\n${links.map((link) => `link: ${link}\r\n`).join('')}\r\n`
