import { ProxyTracerProvider, type TracerProvider, trace } from '@opentelemetry/api';

/** Where spans go; undefined where no SDK has been registered yet: nobody would get them, so nothing is spent on them. */
export function tracerProvider(): TracerProvider | undefined {
  const provider = trace.getTracerProvider();
  const isSilent = provider instanceof ProxyTracerProvider && provider.getDelegateTracer('tiltyard') === undefined;
  return isSilent ? undefined : provider;
}
