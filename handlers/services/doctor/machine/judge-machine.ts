import type { DiskFiller, MachineFacts } from '../../../ports/host/machine.ts'
import { judgeBackups, type BackupRecords } from './judge-backups.ts'
import { judgeCertificates } from './judge-certificates.ts'
import { judgeChildren } from './judge-children.ts'
import { judgeClock } from './judge-clock.ts'
import { judgeDatabaseServers } from './judge-database-servers.ts'
import { judgeDisks, type RecordedUse } from './judge-disks.ts'
import { judgeLimits } from './judge-limits.ts'
import { judgeMemory } from './judge-memory.ts'
import { judgePackages } from './judge-packages.ts'
import { judgePorts } from './judge-ports.ts'
import { judgeProofs, type ProofRecords } from './judge-proofs.ts'
import { diagnosisOf, joinJudgements, judgeSeen, type Judgement } from './judgement.ts'

/** What the panel's records add to what the machine tells. */
export interface MachineRecords extends BackupRecords, ProofRecords {
  certificates: Parameters<typeof judgeCertificates>[0]
  uses: readonly RecordedUse[]
  /** When the panel wrote last, as far as it is known. */
  newestRecord: string | null
}

/** Every check of the machine; `fillers` matter only where a disk is short. */
export const judgeMachine = (
  facts: MachineFacts,
  fillers: readonly DiskFiller[],
  records: MachineRecords,
  nowMs: number,
): Judgement =>
  joinJudgements([
    judgeSeen('disk', facts.disks, (disks) => judgeDisks(disks, fillers, records.uses)),
    judgeSeen('memory', facts.memory, judgeMemory),
    judgeSeen('clock', facts.clock, (clock) => judgeClock(clock, records.newestRecord, nowMs)),
    ...(facts.clock.seen && facts.clock.value.synchronised === null
      ? [{ findings: [], skipped: [{ check: 'clock', reason: facts.clock.value.source }] }]
      : []),
    judgeSeen('process', facts.children, (children) => judgeChildren(children, nowMs)),
    judgeSeen('port', facts.ports, judgePorts),
    judgeSeen('database-server', facts.databaseServers, judgeDatabaseServers),
    {
      findings: judgeCertificates(records.certificates, nowMs).map(diagnosisOf),
      skipped: [],
    },
    judgeBackups(records),
    judgeProofs(records),
    judgeSeen('package', facts.packages, (packages) => judgePackages(packages, nowMs)),
    judgeSeen('limit', facts.limits, judgeLimits),
  ])
