/** What `prd.md` starts as: headings, and in comments what belongs under them. The loop reads it and never writes it. */
export const PRD_TEMPLATE = `# {{PROJECT_NAME}}: requirements

<!--
What is to be built, and why. You write this; the loop only reads it, at the start of every iteration.
What is to be done step by step stands in tasks.json.

Sizes: S (a patch), M (a feature), L (an epic). Each heading says for which sizes it is needed. Delete what you do not need,
and these comments.
-->

## 1. Summary

<!-- Required for S, M, L. Two to four sentences: what is being built, for whom, and what will be different afterwards. -->

## 2. Problem Statement

<!-- Required for S, M, L. How things are today, why that is a problem, and why it is tackled now. -->

## 3. Goals

<!-- Required for M and L, optional for S. Three to six outcomes that can be measured. -->

-

## 4. Non-Goals

<!--
Required for M and L, recommended for S. What is NOT to be done. For an agent this is the most important section: it keeps it
from building more than was asked for and from changing what nobody mentioned.
-->

-

## 5. Background & Context

<!--
Recommended for M and L. How the system is built, the files that matter (with paths), patterns to follow, the parts of the
database schema that are touched, and words that mean something special here.
-->

## 6. Technical Design

<!-- Required for S, M, L. Keep the subsections that apply. -->

### 6a. Database Changes

<!-- Tables and columns as DDL, indexes, row-level security. -->

### 6b. API Contracts

<!-- For each endpoint: method, path, request and response as JSON, errors. -->

### 6c. Core Logic Changes

<!-- Algorithms step by step, in pseudocode where words are not exact enough. -->

### 6d. Frontend Changes

<!-- Components, where their data comes from, what happens when the user does something. -->

### 6e. Infrastructure / Config Changes

<!-- Environment variables, deployments, permissions, scheduled jobs. -->

## 7. Constraints

<!--
Recommended for M and L. Rules that hold in every story and every iteration, whatever is being worked on:
- technical constraints ("amounts of money are stored as NUMERIC(10,2), never as floats")
- libraries and patterns that must be used, or must not
- rules of integration ("every new endpoint is idempotent")
- behaviour that may never change ("a custom price always wins over the default price")
-->

-

## 8. Edge Cases & Error Handling

<!-- Recommended for M and L. -->

| Scenario | Trigger | Expected behavior | Error |
|---|---|---|---|
|  |  |  |  |

## 9. Risks & Mitigations

<!-- Recommended for M and L. -->

| Risk | Likelihood | Impact | Mitigation |
|---|---|---|---|
|  |  |  |  |

## 10. Open Questions

<!-- Recommended for S, M, L. What is not decided yet. When it is, strike it through and write down the answer: ~~question~~ answer. -->

-
`;
