import type { FamilyAsk } from '../support/family.ts'

/** A page about moving in, with what stands in for the application, and what both servers are asked. */
export interface Example {
  /** Of the page in `docs/examples`. */
  name: string
  host: string
  /** The directory that the page names, in place of which one of the test's stands. */
  place: string
  /** Files by path below that directory. */
  tree: Readonly<Record<string, string>>
  asks: readonly FamilyAsk[]
}

/** Stands in for a front controller: shows what it was called with. */
export const FRONT = `<?php
header('Content-Type: text/plain; charset=utf-8');
echo 'SCRIPT=', __FILE__, "\n";
foreach (['REQUEST_METHOD', 'REQUEST_URI', 'PATH_INFO', 'QUERY_STRING', 'APP_ENV',
  'TYPO3_CONTEXT', 'front_controller_active'] as $name)
  echo $name, '=', $_SERVER[$name] ?? '', "\\n";
`
