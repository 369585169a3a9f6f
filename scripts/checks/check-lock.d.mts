/** What of a package in the lock is looked at. */
export interface LockedPackage {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  license?: string
  dev?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
}

type Wanted = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
>

export declare const licenseList: (packages: Record<string, LockedPackage>) => string
export declare const lockProblems: (
  lock: { lockfileVersion?: number; packages: Record<string, LockedPackage & Wanted> },
  wanted: Wanted,
) => string[]
export declare const checkLock: (root: string, options?: { write?: boolean }) => string[]
