export type { BenchReport } from './jobs/jobs.ts';
export type { Bench } from './jobs/work.ts';
export { exportSite, SiteError } from './site/export-site.ts';
export { type Studio, type StudioOptions, startStudio } from './studio.ts';
export type { TargetOptions } from './targets/target-link.ts';
