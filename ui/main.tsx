import Form from "@rjsf/core/lib/components/Form.js";
import { Validator } from '@cfworker/json-schema';
import uPlot from 'uplot';
import { compiler } from 'markdown-to-jsx/react';
import { createRoot } from 'react-dom/client';
console.log(Validator, uPlot, compiler);
createRoot(document.getElementById('studio') as HTMLElement).render(<Form schema={{}} validator={{} as any}/>);
