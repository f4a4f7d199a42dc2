import Form from '@rjsf/core/lib/components/Form.js';
import type { RegistryWidgetsType, RJSFSchema, TemplatesType } from '@rjsf/utils';
import type { ReactElement } from 'react';
import type { JsonObject } from '../../src/protocol/index.ts';
import { ArrayTemplate, Choice, FieldTemplate, ItemTemplate, ObjectTemplate, TextArea, YesNo } from './templates.tsx';
import { type SchemaError, validator } from './validator.ts';

// The form has a button of its own, below the raw JSON as well.
const UI = { 'ui:submitButtonOptions': { norender: true } };
const WIDGETS: RegistryWidgetsType = {
  TextWidget: TextArea,
  CheckboxWidget: YesNo,
  SelectWidget: Choice,
  CheckboxesWidget: Choice,
};
const TEMPLATES = {
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ItemTemplate,
} as unknown as Partial<TemplatesType>;

/** The form of a JSON Schema. */
export function SchemaForm({ schema, value, onChange, errors }: SchemaFormProps): ReactElement {
  return (
    <Form
      className="schema-form"
      tagName="div"
      schema={schema as RJSFSchema}
      uiSchema={UI}
      validator={validator}
      formData={value}
      widgets={WIDGETS}
      templates={TEMPLATES}
      extraErrors={toTree(errors) as never}
      extraErrorsBlockSubmit={false}
      showErrorList={false}
      noHtml5Validate
      noValidate
      onChange={({ formData }) => onChange((formData ?? {}) as JsonObject)}
    />
  );
}

interface SchemaFormProps {
  readonly schema: JsonObject;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
  /** What is wrong with the value. */
  readonly errors: readonly SchemaError[];
}

/** Errors in the form that the library wants: at their places in a tree. */
function toTree(errors: readonly SchemaError[]): object {
  const tree: Record<string, unknown> = {};
  for (const { path, message } of errors) {
    let node = tree;
    for (const part of path.split('.').filter(Boolean)) {
      // Own keys only: a field may be named like something that every object has.
      if (!Object.hasOwn(node, part))
        Object.defineProperty(node, part, { value: {}, enumerable: true, writable: true });
      node = node[part] as Record<string, unknown>;
    }
    node.__errors = [...((node.__errors as string[] | undefined) ?? []), message];
  }
  return tree;
}
