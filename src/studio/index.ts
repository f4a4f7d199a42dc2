// The contract of the page
export type { StudioInfo, StudioRoutes } from './api.ts';
