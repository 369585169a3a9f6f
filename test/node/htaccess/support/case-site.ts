/**
 * One request of a comparison: the status that Apache gives (said here so that a
 * reader sees what the rules mean, and so that a broken Apache is noticed), the
 * target with its method if it is not GET, request fields, and a body.
 */
export type CaseAsk = readonly [
  status: number,
  target: string,
  fields?: Readonly<Record<string, string>>,
  body?: string,
]

/** A document root that both servers serve, and what is asked there. */
export interface CaseSite {
  /** Becomes the host name `<name>.test`. */
  name: string
  /** Content by path below the document root; a path that ends in `/` is an empty directory. */
  tree: Readonly<Record<string, string>>
  asks: readonly CaseAsk[]
}

/** A script that shows what it was called with, as far as both ways of starting it agree. */
export const ECHO_PHP = `<?php
header('Content-Type: application/json');
$seen = [];
foreach (['REQUEST_METHOD', 'REQUEST_URI', 'QUERY_STRING', 'SCRIPT_NAME', 'PATH_INFO',
  'HTTP_HOST', 'HTTP_AUTHORIZATION', 'REMOTE_USER', 'DOCUMENT_ROOT', 'SCRIPT_FILENAME'] as $name)
  $seen[$name] = $_SERVER[$name] ?? null;
foreach ($_SERVER as $name => $value)
  if (preg_match('/^(?:REDIRECT_)*(T_[A-Z_]+)$/', $name, $found)) $seen[$found[1]] = $value;
ksort($seen);
echo json_encode($seen + ['body' => file_get_contents('php://input')], JSON_UNESCAPED_SLASHES);
`
