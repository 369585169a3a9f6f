import type { FindingKind } from './finding.ts'

const APART = 'The panel shows one thing and the machine does another.'

/** What comes of a finding of each kind, where it does not say so itself. */
export const WHY_OF_KIND: Readonly<Record<FindingKind, string>> = {
  account: APART,
  home: 'The wrong ones may get into the home, or the right ones may not.',
  suspension: 'A suspended account goes on, or an active one stands still.',
  'virtual-host': 'Visitors meet another site than the panel shows, or none.',
  database: APART,
  'database-user': 'An application may do more in a database than the panel shows, or less.',
  'database-address': 'Databases are reached from elsewhere than the panel shows, or not.',
  sftp: 'Somebody gets to files whom the panel does not show, or somebody whom it shows does not.',
  application: APART,
  certificate: 'Visitors are warned off the site, or will be.',
  backup: 'What is lost may not be brought back.',
  php: 'It takes memory and serves nobody, or somebody who should not be served.',
  path: 'The wrong ones may read or change what belongs to the installation.',
  disk: 'What is to be written there fails.',
  isolation: 'An account can learn what others do.',
  operation: 'What it began is half done.',
  stall: 'Other visitors waited meanwhile.',
  mail: 'What sites send reaches nobody meanwhile.',
  memory: 'Programs are ended by the kernel, or wait for each other.',
  clock: 'Certificates, sessions, second factors and schedules go by the time.',
  process: 'What it does stands still while it is started again.',
  port: 'Visitors do not reach the sites there.',
  'database-server': 'Sites that need it show errors.',
  package: 'Holes that are known to everybody stay open.',
  limit: 'When it is reached, programs fail with errors that do not name it.',
}
